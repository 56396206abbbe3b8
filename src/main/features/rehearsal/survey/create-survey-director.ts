/**
 * The director of the survey, which users without a key see first. Agents examine the user's own folder with real
 * tools and report facts. The text comes from a script and says so. The director is stateless: each reply
 * depends on the request alone.
 */
import type { Director, ScriptedBlock, ScriptedReply, ScriptedRequest } from '../director.ts'
import { draftReply } from './draft-script.ts'
import { byDepth } from './folder-files.ts'
import { mainScript } from './main-script.ts'
import { type Conversation, type Episode, readConversation } from './read-conversation.ts'
import { clip, code, counted, Findings } from './report.ts'
import { ask, play, type Script } from './script.ts'
import { jobOf, type SurveyJob, wordsIn } from './survey-job.ts'
import { surveyJobs } from './survey-jobs.ts'
import { surveyIn } from './survey-summary.ts'
import { foundPaths, reasonOf } from './tool-answers.ts'

export function createSurveyDirector(): Director {
  return { reply: async (request) => replyTo(request) }
}

function replyTo(request: ScriptedRequest): ScriptedReply {
  const conversation = readConversation(request)
  const { episodes } = conversation
  const [first] = episodes
  const now = episodes.at(-1) ?? first
  if (!first || !now) return { blocks: [{ type: 'text', text: NO_TASK }] }
  const draft = draftReply(conversation)
  if (draft !== null) return { blocks: [{ type: 'text', text: draft }] }
  const mayCall = request.toolChoice !== 'none'
  const job = jobOf(first.messages[0] ?? '', surveyJobs)
  if (job !== null) return replyOfJob(job, conversation, { first, now, mayCall })
  const isMain = request.tools.some(({ name }) => name === 'Agent')
  return play(isMain ? mainScript(conversation) : otherScript(conversation), now.exchanges, {
    mayCall,
    lastWords: () => lastWords(episodes),
  })
}

/** An agent with one job: it answers every later message by doing its job again. */
function replyOfJob(
  job: SurveyJob,
  { tools, folder }: Conversation,
  { first, now, mayCall }: { readonly first: Episode; readonly now: Episode; readonly mayCall: boolean },
): ScriptedReply {
  const findings = new Findings(job.title)
  const words = wordsIn(first.messages[0] ?? '')
  const reply = play(jobScript(job, { tools, folder, words, findings }), now.exchanges, {
    mayCall,
    lastWords: () => {
      findings.gap('I had to stop before I was done.')
      return findings.report()
    },
  })
  // Messages before its first reply, or since its last one.
  const begun = now === first ? now.messages.slice(1) : now.messages
  const heard = now.exchanges.at(-1)?.heard ?? begun
  return heard.length === 0 || !mayCall ? reply : { ...reply, blocks: [acknowledge(heard), ...reply.blocks] }
}

function* jobScript(job: SurveyJob, context: Parameters<SurveyJob['run']>[0]): Script {
  yield* job.run(context)
  return context.findings.report()
}

function acknowledge(heard: readonly string[]): ScriptedBlock {
  const text = clip(heard.join(' ').replace(/\s+/g, ' ').trim(), 120)
  return {
    type: 'text',
    text: `You wrote: “${text}”. I follow a script and can't respond to that. I continue with my part of the survey.`,
  }
}

/** The reply when calls are no longer allowed: the newest survey, if there is one. */
function lastWords(episodes: readonly Episode[]): string {
  const said = episodes.flatMap(({ exchanges }) => exchanges.map((exchange) => exchange.said))
  const survey = said.map(surveyIn).findLast((found) => found !== null)
  return survey ?? 'I am a script, not a model, and had to stop before any agent reported.'
}

const NO_TASK = 'I am a script, not a model. There is no task in this conversation.'

const HONEST = "I am a script, not a model. This agent's work needs a model, and a key for it (Settings)."
const MOST_FILES = 15

/** Any other agent, for example one of the user's own: says that it is a script, and lists the files. */
function* otherScript({ tools }: Conversation): Script {
  if (!tools.has('Glob')) return HONEST
  const [listed] = yield* ask(
    {
      say: `${HONEST} What I can do is list the files.`,
      calls: [{ tool: 'Glob', input: { pattern: '**/*' } }],
    },
    tools,
  )
  if (!listed?.ok)
    return `The folder could not be listed: ${listed ? reasonOf(listed) : 'nothing came back.'}`
  const { items, more } = foundPaths(listed)
  if (items.length === 0)
    return 'The folder is empty, or git ignores everything in it. That is all I can report.'
  const shown = [...items].sort(byDepth).slice(0, MOST_FILES)
  const rest = items.length - shown.length
  return `There ${items.length === 1 && !more ? 'is' : 'are'} ${more ? `more than ${counted(items.length, 'file')}` : counted(items.length, 'file')} here:\n\n${shown.map((path) => `- ${code(path)}`).join('\n')}${rest > 0 || more ? `\n- and ${more ? 'many' : rest} more` : ''}\n\nThat is all I can report.`
}
