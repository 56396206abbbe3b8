/**
 * The main agent of the survey: says what it is, starts an agent for each job in one message, and sums up
 * what they report. What people write later is answered as far as a script can.
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
  return yield* followUp(conversation, now.task, earlier, now.images)
}

interface SurveyPlan {
  readonly task: string
  readonly words: readonly TaskWord[]
  readonly images: number
  readonly jobs: readonly SurveyJob[]
  /** What is said before the agents start. */
  readonly opening: string
}

const firstSurvey = ({ task, images }: Pick<Episode, 'task' | 'images'>): SurveyPlan => ({
  task,
  words: taskWords(task),
  images,
  jobs: surveyJobs,
  opening: HONEST,
})

/** Starts the agents, waits for their reports, sums up; and takes in what was written meanwhile. */
function* survey(conversation: Conversation, plan: SurveyPlan): Script {
  const { task, words, images } = plan
  const jobs = plan.jobs.filter((job) => job !== wordsJob || words.length > 0)
  const manned = jobs.map((job) => ({ job, agent: agentFor(job, conversation) }))
  const calls = manned.flatMap(({ job, agent }): readonly ToolCall[] =>
    agent === null ? [] : [agentCall(job, agent, words, task)],
  )
  if (calls.length === 0)
    return `${plan.opening}\n\nNo agent here has the tools to look at the folder, so there is nothing I can show.`
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
  // Everything was stopped and something else was written: that is the task now.
  return yield* followUp(
    conversation,
    heard.join('\n\n'),
    [{ task, messages: [task], images, exchanges: [] }],
    0,
  )
}

function agentCall(job: SurveyJob, agent: string, words: readonly TaskWord[], task: string): ToolCall {
  return {
    tool: 'Agent',
    input: {
      description: job.description,
      subagent_type: agent,
      prompt: promptFor(job, job === wordsJob ? words : [], task),
    },
  }
}

const TELLS: ReadonlyMap<SurveyJob, string> = new Map([
  [layoutJob, 'where the program starts'],
  [historyJob, 'what changes often'],
  [notesJob, 'what was left undone'],
  [testsJob, 'how its tests are run'],
])

function opening({ opening, words }: SurveyPlan, jobs: readonly SurveyJob[]): string {
  const shown = words.filter(({ kind }) => kind !== 'pair').map(({ text }) => code(clip(text, 60)))
  const asked = jobs.flatMap((job) =>
    job === wordsJob
      ? [`where ${joined(shown)} ${shown.length === 1 ? 'leads' : 'lead'}`]
      : (TELLS.get(job) ?? []),
  )
  const many = ['No', 'One agent', 'Two agents', 'Three agents', 'Four agents', 'Five agents'][jobs.length]
  const now = `${many} now ${jobs.length === 1 ? 'looks' : 'look side by side'} at this folder with real tools: ${joined(asked)}. Nothing is changed.`
  const tests = jobs.includes(testsJob)
    ? ' Before the tests are run you are asked, in that agent’s panel; if you say no, they are not.'
    : ''
  const noWords = shown.length === 0 ? ' Your message holds no word that I could search for.' : ''
  return `${opening}\n\n${now}${tests}${noWords}`
}

/** What was written while the agents worked: done where it is a wish, and at least named. */
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
  if (wish.kind !== 'survey' || agent === null) return `${summary}\n\n${named} A script can't take that up.`
  const { answers } = yield {
    say: `${summary}\n\n${named} One more agent looks for that.`,
    calls: [agentCall(wordsJob, agent, wish.words, text)],
  }
  const { folder, date } = conversation
  const results = [{ job: wordsJob, answer: answers[0] ?? null }]
  return surveySummary({ task: text, folder, date, results, images: 0 })
}

/** An answer to whoever writes again. */
function* followUp(
  conversation: Conversation,
  task: string,
  earlier: readonly Episode[],
  images: number,
): Script {
  const wish = wishIn(task)
  switch (wish.kind) {
    case 'save': {
      const survey = lastSurvey(earlier)
      if (survey !== null) return yield* saveScript({ file: wish.file, survey, tools: conversation.tools })
      return 'There is no survey in this conversation that I could write down. Write what you are looking for, and I make one.'
    }
    case 'again': {
      const before = earlier.findLast((episode) => taskWords(episode.task).length > 0) ?? earlier[0]
      const again = { task: before?.task ?? task, images }
      return yield* survey(conversation, {
        ...firstSurvey(again),
        opening: `${HONEST} Once more, from the start.`,
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

const TALK = `I am a script, not a model, so I can't talk with you or take up a task. What I can do:
- Write words to look for, such as the name of a function, a file or an error message: agents search the folder for them.
- Write “again”: the same survey, as the folder is now.
- Write “save this survey”: I put it into \`troupe-survey.md\`, after asking you.

With a key (Settings) a model answers here instead of me.`

function lastSurvey(episodes: readonly Episode[]): string | null {
  const said = episodes.flatMap(({ exchanges }) => exchanges.map((exchange) => exchange.said))
  for (const text of said.reverse()) {
    const survey = surveyIn(text)
    if (survey !== null) return survey
  }
  return null
}
