/**
 * A job of the survey: one question about the folder, answered by one agent. What the agent is to do stands
 * in its prompt, in words that a person can read too; a heading says which job it is.
 */
import type { Findings } from './report.ts'
import type { Script } from './script.ts'
import type { TaskWord, WordKind } from './task-words.ts'

export interface JobContext {
  /** The tools the agent really has. */
  readonly tools: ReadonlySet<string>
  /** What to search for, from the prompt. */
  readonly words: readonly TaskWord[]
  /** Absolute; empty where it is not known. */
  readonly folder: string
  readonly findings: Findings
}

export interface SurveyJob {
  /** Names the job in its prompt and its report. */
  readonly title: string
  /** The agent's task, as its panel shows it. */
  readonly description: string
  /** What the prompt asks. */
  readonly question: string
  /** Agents that suit it, the best first. */
  readonly agents: readonly string[]
  /** What an agent must have for it. */
  readonly needs: readonly string[]
  /** Looks, and puts what it finds into the findings. */
  run(context: JobContext): Script<void>
}

const HEADING = 'Survey job: '
const WORDS = 'Words to search for, the most telling first:'

/** Everything the agent needs to know. */
export function promptFor(job: SurveyJob, words: readonly TaskWord[], task: string): string {
  return `${HEADING}${job.title}

${job.question}

${words.length === 0 ? '' : `${WORDS}\n${words.map(({ text, kind }) => `- ${text} (${kind})`).join('\n')}\n\n`}Work in the folder you are in. Change nothing. Other agents look at other sides of it at the same time.
Return one sentence with the answer, then the facts, each with its path and line as the tools showed them, then what could not be found out and why. Nothing that you did not see.

The survey was started for this task, which is not yours to do:
${quoted(task)}`
}

/** The job that a prompt is for; null where it is for none. */
export function jobOf(prompt: string, jobs: readonly SurveyJob[]): SurveyJob | null {
  const [first = ''] = prompt.split('\n')
  return jobs.find(({ title }) => first.trim() === `${HEADING}${title}`) ?? null
}

/** The words in a prompt. */
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

/** Every line marked, so that nothing in a task can pass for a part of the prompt. */
function quoted(task: string): string {
  const shown = task.length > LONGEST_TASK ? `${task.slice(0, LONGEST_TASK)} […]` : task
  return shown
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n')
}
