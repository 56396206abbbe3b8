/**
 * The main agent of the survey: states that it is a script, starts one agent per job in one message, and summarizes
 * their reports. It answers later messages as far as a script can.
 */

import { gatherInPhases } from './coordinator-script.ts'
import { type Answer, type Conversation, type Episode, NO_ANSWER } from './read-conversation.ts'
import { clip, code } from './report.ts'
import type { Script } from './script.ts'
import { agentFor, surveyJobs, testsJob, wordsJob } from './survey-jobs.ts'
import { agentCall, gather, HONEST, type SurveyPlan } from './survey-plan.ts'
import { surveyIn, surveySummary } from './survey-summary.ts'
import { taskWords } from './task-words.ts'
import { readLines, reasonOf } from './tool-answers.ts'
import { wishIn } from './wishes.ts'

/** The script for the newest task of a conversation. */
export function* mainScript(conversation: Conversation): Script {
  const { episodes } = conversation
  const now = episodes.at(-1) ?? { task: '', messages: [], images: 0, exchanges: [] }
  const earlier = episodes.slice(0, -1)
  if (earlier.length === 0) return yield* survey(conversation, firstSurvey(now))
  return yield* followUp(conversation, now, earlier)
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
  const { task, images } = plan
  const gathered = yield* conversation.tools.has('SetPhase')
    ? gatherInPhases(conversation, plan)
    : gather(conversation, plan)
  if (gathered === null)
    return `${plan.opening}\n\nNo agent here has the tools to look at the folder, so I can't show anything.`
  const { results, heard } = gathered
  const { folder, date } = conversation
  const noneCame = results.every(({ answer }) => answer?.ok !== true)
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

/** Writes the survey to one file if the user allows it. Never replaces a file that is not a survey. */
interface SaveInput {
  /** Relative to the folder. */
  readonly file: string
  readonly survey: string
  readonly tools: ReadonlySet<string>
}

function* saveScript({ file, survey, tools }: SaveInput): Script {
  const shown = code(file)
  if (!tools.has('Write')) return `I can't write ${shown}: this agent does not have the tool Write.`
  const write = { tool: 'Write', input: { file_path: file, content: survey } }
  const { answers } = yield {
    say: `I would write the survey to ${shown} now. It is written only if you allow it.`,
    calls: [write],
  }
  const [first = NO_ANSWER] = answers
  if (first.ok) return saved(shown)
  // An existing file must be read before it is replaced; any other failure ends the script.
  if (!/\bread\b[^.]*\bfirst\b/i.test(first.text)) return notSaved(shown, first)

  const { answers: readAnswers } = yield {
    say: `${shown} exists. I check whether it is an older survey.`,
    calls: [{ tool: 'Read', input: { file_path: file, limit: 3 } }],
  }
  const [existing = NO_ANSWER] = readAnswers
  if (!existing.ok) return notSaved(shown, existing)
  if (!readLines(existing).get(1)?.startsWith('# Survey of '))
    return `${shown} exists and is not a survey, so I did not change it. Name another file: “save it to other-name.md”.`

  const { answers: again } = yield {
    say: 'The file is an older survey. This one would replace it.',
    calls: [write],
  }
  const [second = NO_ANSWER] = again
  return second.ok ? saved(shown) : notSaved(shown, second)
}

const saved = (shown: string): string =>
  `The survey is in ${shown}. With a key (Settings), name that file in a task, and a model starts from it. Delete the file when you no longer need it.`

const notSaved = (shown: string, answer: Answer): string => `${shown} was not written: ${reasonOf(answer)}`
