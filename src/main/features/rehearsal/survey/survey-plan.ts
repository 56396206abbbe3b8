/** A survey before it starts: its jobs, the agents for them, and the text that announces them. */
import type { Conversation } from './read-conversation.ts'
import { clip, code, joined } from './report.ts'
import type { Script, ToolCall } from './script.ts'
import { promptFor, type SurveyJob } from './survey-job.ts'
import { agentFor, historyJob, layoutJob, notesJob, testsJob, wordsJob } from './survey-jobs.ts'
import type { JobResult } from './survey-summary.ts'
import type { TaskWord } from './task-words.ts'

export const HONEST = "I am a script, not a model. I can't fix this; I can show where it lives."

export interface SurveyPlan {
  readonly task: string
  readonly words: readonly TaskWord[]
  readonly images: number
  readonly jobs: readonly SurveyJob[]
  /** The text before the agents start. */
  readonly opening: string
}

/** The results of the jobs, and the messages that arrived meanwhile. */
export interface Gathered {
  readonly results: readonly JobResult[]
  readonly heard: readonly string[]
}

/** A job and its agent; null if no agent here can do it. */
interface MannedJob {
  readonly job: SurveyJob
  readonly agent: string | null
}

export function mannedJobs(conversation: Conversation, { jobs, words }: SurveyPlan): readonly MannedJob[] {
  return jobs
    .filter((job) => job !== wordsJob || words.length > 0)
    .map((job) => ({ job, agent: agentFor(job, conversation) }))
}

/** Starts the agents of all jobs together. Null: there is none. */
export function* gather(conversation: Conversation, plan: SurveyPlan): Script<Gathered | null> {
  const { words } = plan
  const manned = mannedJobs(conversation, plan)
  const calls = callsFor(manned, plan)
  if (calls.length === 0) return null
  const { answers, words: heard } = yield {
    thinking: `The words I can search for: ${words.length === 0 ? 'none' : words.map(({ text }) => text).join(', ')}. The jobs do not depend on each other, so their agents start together.`,
    say: openingFor(
      plan,
      manned.map(({ job }) => job),
    ),
    calls,
  }
  return { results: resultsOf(manned, answers), heard }
}

export function callsFor(manned: readonly MannedJob[], plan: SurveyPlan): readonly ToolCall[] {
  return manned.flatMap(({ job, agent }): readonly ToolCall[] =>
    agent === null ? [] : [agentCall(job, agent, plan)],
  )
}

/** The answers of the calls, by job. */
export function resultsOf(
  manned: readonly MannedJob[],
  answers: readonly JobResult['answer'][],
): readonly JobResult[] {
  let next = 0
  return manned.map(({ job, agent }) => ({
    job,
    answer: agent === null ? null : (answers[next++] ?? null),
  }))
}

export function agentCall(
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

/** The text before the agents start. */
export function openingFor({ opening, words }: SurveyPlan, jobs: readonly SurveyJob[]): string {
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
