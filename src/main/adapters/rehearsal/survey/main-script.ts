/**
 * The main agent of the survey: states that it is a script, starts one agent per job in one message, and summarizes
 * their reports. It answers later messages as far as a script can.
 */
import type { Conversation, Episode } from './read-conversation.ts'
import { clip, code, joined } from './report.ts'
import { saveScript } from './save-script.ts'
import type { Script, ToolCall } from './script.ts'
import { promptFor, type SurveyJob } from './survey-job.ts'
import { agentFor, historyJob, layoutJob, notesJob, surveyJobs, testsJob, wordsJob } from './survey-jobs.ts'
import { type JobResult, surveyIn, surveySummary } from './survey-summary.ts'
import { type TaskWord, taskWords } from './task-words.ts'
import { wishIn } from './wishes.ts'

const HONEST = "I am a script, not a model. I can't fix this; I can show where it lives."

/** The script for the newest task of a conversation. */
export function* mainScript(conversation: Conversation): Script {
  const { episodes } = conversation
  const now = episodes.at(-1) ?? { task: '', messages: [], images: 0, exchanges: [] }
  const earlier = episodes.slice(0, -1)
  if (earlier.length === 0) return yield* survey(conversation, firstSurvey(now))
  return yield* followUp(conversation, now, earlier)
}

interface SurveyPlan {
  readonly task: string
  readonly words: readonly TaskWord[]
  readonly images: number
  readonly jobs: readonly SurveyJob[]
  /** The text before the agents start. */
  readonly opening: string
}

const firstSurvey = ({ task, images }: Pick<Episode, 'task' | 'images'>): SurveyPlan => ({
  task,
  words: taskWords(task),
  images,
  jobs: surveyJobs,
  opening: HONEST,
})

/** Starts the agents, waits for their reports, summarizes them, and answers messages that arrived meanwhile. */
function* survey(conversation: Conversation, plan: SurveyPlan): Script {
  const { task, words, images } = plan
  const jobs = plan.jobs.filter((job) => job !== wordsJob || words.length > 0)
  const manned = jobs.map((job) => ({ job, agent: agentFor(job, conversation) }))
  const calls = manned.flatMap(({ job, agent }): readonly ToolCall[] =>
    agent === null ? [] : [agentCall(job, agent, { words, task })],
  )
  if (calls.length === 0)
    return `${plan.opening}\n\nNo agent here has the tools to look at the folder, so I can't show anything.`
  const { answers, words: heard } = yield {
    thinking: `The words I can search for: ${words.length === 0 ? 'none' : words.map(({ text }) => text).join(', ')}. The jobs do not depend on each other, so their agents start together.`,
    say: opening(plan, jobs),
    calls,
  }
  let next = 0
  const results = manned.map(
    ({ job, agent }): JobResult => ({ job, answer: agent === null ? null : (answers[next++] ?? null) }),
  )
  const { folder, date } = conversation
  const noneCame = answers.every(({ ok }) => !ok)
  if (heard.length === 0 || !noneCame) {
    const summary = surveySummary({ task, folder, date, results, images })
    if (heard.length === 0) return summary
    return yield* alsoHeard(conversation, summary, heard.join('\n\n'))
  }
  // The user stopped everything and wrote another message, which is the task now.
  return yield* followUp(conversation, { task: heard.join('\n\n'), images: 0 }, [
    { task, messages: [task], images, exchanges: [] },
  ])
}

function agentCall(
  job: SurveyJob,
  agent: string,
  { words, task }: { readonly words: readonly TaskWord[]; readonly task: string },
): ToolCall {
  return {
    tool: 'Agent',
    input: {
      description: job.description,
      subagent_type: agent,
      prompt: promptFor(job, job === wordsJob ? words : [], task),
    },
  }
}

const TOPICS: ReadonlyMap<SurveyJob, string> = new Map([
  [layoutJob, 'where the program starts'],
  [historyJob, 'what changes often'],
  [notesJob, 'what is unfinished'],
  [testsJob, 'how its tests run'],
])

function opening({ opening, words }: SurveyPlan, jobs: readonly SurveyJob[]): string {
  const shown = words.filter(({ kind }) => kind !== 'pair').map(({ text }) => code(clip(text, 60)))
  const asked = jobs.flatMap((job) =>
    job === wordsJob
      ? [`where ${joined(shown)} ${shown.length === 1 ? 'leads' : 'lead'}`]
      : (TOPICS.get(job) ?? []),
  )
  const many = ['No', 'One agent', 'Two agents', 'Three agents', 'Four agents', 'Five agents'][jobs.length]
  const now = `${many} now ${jobs.length === 1 ? 'looks' : 'look side by side'} at this folder with real tools: ${joined(asked)}. Nothing is changed.`
  const tests = jobs.includes(testsJob) ? ' The agent that runs the tests asks you first, in its panel.' : ''
  const noWords = shown.length === 0 ? ' Your message contains no word that I can search for.' : ''
  return `${opening}\n\n${now}${tests}${noWords}`
}

/** Answers messages that arrived while the agents worked: acts on known requests, and mentions the others. */
function* alsoHeard(conversation: Conversation, summary: string, text: string): Script {
  const named = `You wrote meanwhile: “${clip(text.replace(/\s+/g, ' ').trim(), 120)}”.`
  const wish = wishIn(text)
  if (wish.kind === 'save') {
    const survey = surveyIn(summary)
    if (survey !== null) {
      const end = yield* saveScript({ file: wish.file, survey, tools: conversation.tools })
      return `${end}\n\n${summary}`
    }
  }
  const agent = agentFor(wordsJob, conversation)
  if (wish.kind !== 'survey' || agent === null)
    return `${summary}\n\n${named} A script can't respond to that.`
  const { answers } = yield {
    say: `${summary}\n\n${named} One more agent searches for that.`,
    calls: [agentCall(wordsJob, agent, { words: wish.words, task: text })],
  }
  const { folder, date } = conversation
  const results = [{ job: wordsJob, answer: answers[0] ?? null }]
  return surveySummary({ task: text, folder, date, results, images: 0 })
}

/** The answer to a later message. */
function* followUp(
  conversation: Conversation,
  { task, images }: Pick<Episode, 'task' | 'images'>,
  earlier: readonly Episode[],
): Script {
  const wish = wishIn(task)
  switch (wish.kind) {
    case 'save': {
      const survey = lastSurvey(earlier)
      if (survey !== null) return yield* saveScript({ file: wish.file, survey, tools: conversation.tools })
      return 'This conversation has no survey to save. Write what you are looking for, and I will run one.'
    }
    case 'again': {
      const before = earlier.findLast((episode) => taskWords(episode.task).length > 0) ?? earlier[0]
      const again = { task: before?.task ?? task, images }
      return yield* survey(conversation, {
        ...firstSurvey(again),
        opening: `${HONEST} Running the survey again.`,
      })
    }
    case 'survey': {
      const jobs = /\btests?\b/i.test(task) ? surveyJobs : surveyJobs.filter((job) => job !== testsJob)
      return yield* survey(conversation, { task, words: wish.words, images, jobs, opening: HONEST })
    }
    case 'talk':
      return TALK
  }
}

const TALK = `I am a script, not a model, so I can't discuss or do a task. What I can do:
- Write words to look for, such as the name of a function, a file or an error message: agents will search the folder.
- Write “again”: the same survey, as the folder is now.
- Write “save this survey”: I write it to \`troupe-survey.md\` after asking you.

With a key (Settings) a model answers here instead of me.`

function lastSurvey(episodes: readonly Episode[]): string | null {
  const said = episodes.flatMap(({ exchanges }) => exchanges.map((exchange) => exchange.said))
  for (const text of said.reverse()) {
    const survey = surveyIn(text)
    if (survey !== null) return survey
  }
  return null
}
