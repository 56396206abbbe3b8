/**
 * A job of the survey: one question about the folder, answered by one agent. The agent's prompt describes the job in
 * readable text; its heading names the job.
 */
import type { Findings } from './report.ts'
import type { Script } from './script.ts'
import type { TaskWord, WordKind } from './task-words.ts'

export interface JobContext {
  /** The agent's tools. */
  readonly tools: ReadonlySet<string>
  /** The search words from the prompt. */
  readonly words: readonly TaskWord[]
  /** Absolute; empty if unknown. */
  readonly folder: string
  readonly findings: Findings
}

export interface SurveyJob {
  /** Names the job in its prompt and its report. */
  readonly title: string
  /** The agent's task, as its panel shows it. */
  readonly description: string
  /** The question in the prompt. */
  readonly question: string
  /** Names of suitable agents, the best first. */
  readonly agents: readonly string[]
  /** Tools that an agent needs for the job. */
  readonly needs: readonly string[]
  /** Examines the folder and adds to the findings. */
  run(context: JobContext): Script<void>
}

const HEADING = 'Survey job: '
const WORDS = 'Words to search for, the most telling first:'

/** The complete prompt of an agent for the job. */
export function promptFor(job: SurveyJob, words: readonly TaskWord[], task: string): string {
  return `${HEADING}${job.title}

${job.question}

${words.length === 0 ? '' : `${WORDS}\n${words.map(({ text, kind }) => `- ${text} (${kind})`).join('\n')}\n\n`}Work in the folder you are in. Change nothing. Other agents look at other sides of it at the same time.
Return one sentence with the answer, then the facts, each with its path and line as the tools showed them, then what could not be found out and why. Nothing that you did not see.

The survey was started for this task, which is not yours to do:
${quoted(task)}`
}

/** The job of a prompt; null if the prompt is not for a job. */
export function jobOf(prompt: string, jobs: readonly SurveyJob[]): SurveyJob | null {
  const [first = ''] = prompt.split('\n')
  return jobs.find(({ title }) => first.trim() === `${HEADING}${title}`) ?? null
}

/** The search words in a prompt. */
export function wordsIn(prompt: string): readonly TaskWord[] {
  const lines = prompt.split('\n')
  const start = lines.indexOf(WORDS)
  if (start < 0) return []
  const found: TaskWord[] = []
  for (const line of lines.slice(start + 1)) {
    const match = /^- (.+) \((quoted|path|name|pair|word)\)$/.exec(line)
    if (!match) break
    found.push({ text: match[1] ?? '', kind: match[2] as WordKind })
  }
  return found
}

const LONGEST_TASK = 2000

/** The task with every line marked as a quotation, so that no line can pass for a part of the prompt. */
function quoted(task: string): string {
  const shown = task.length > LONGEST_TASK ? `${task.slice(0, LONGEST_TASK)} […]` : task
  return shown
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n')
}
