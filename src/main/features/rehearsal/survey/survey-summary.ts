/** The main agent's summary: the facts of all reports, and the missing parts. */
import type { Answer } from './read-conversation.ts'
import { clip, counted, readReport } from './report.ts'
import type { SurveyJob } from './survey-job.ts'
import { historyJob, layoutJob, notesJob, testsJob, wordsJob } from './survey-jobs.ts'
import { reasonOf } from './tool-answers.ts'

export interface JobResult {
  readonly job: SurveyJob
  /** Null if no agent could be started for the job. */
  readonly answer: Answer | null
}

interface SummaryInput {
  readonly task: string
  /** Absolute; empty if unknown. */
  readonly folder: string
  /** YYYY-MM-DD; empty if unknown. */
  readonly date: string
  readonly results: readonly JobResult[]
  /** The number of images in the task. */
  readonly images: number
}

/** These headings identify a survey in a conversation. */
const TITLE = '# Survey of '
const NEXT = '## What you can do now'

const SECTIONS: ReadonlyMap<SurveyJob, { readonly title: string; readonly facts: number }> = new Map([
  [wordsJob, { title: 'Where your words lead', facts: 12 }],
  [layoutJob, { title: 'Where it starts', facts: 8 }],
  [historyJob, { title: 'What changes often', facts: 10 }],
  [notesJob, { title: 'What is marked as not done, and how large it is', facts: 10 }],
  [testsJob, { title: 'The tests', facts: 6 }],
])

export function surveySummary(input: SummaryInput): string {
  const { folder, date, results, images } = input
  const name = folder.slice(folder.lastIndexOf('/') + 1) || 'this folder'
  const parts = [
    `${TITLE}${clip(name, 80)}`,
    `Made by a script${date === '' ? '' : ` on ${date}`}, not by a model: nothing here was understood or judged. Each line was read from the folder or its history${task(input)}.`,
  ]
  const missing: string[] = []
  for (const { job, answer } of results) {
    const report = answer?.ok ? readReport(answer.text) : null
    if (report === null) {
      missing.push(`- ${job.title}: ${whyMissing(answer)}`)
      continue
    }
    const { title, facts } = SECTIONS.get(job) ?? { title: job.title, facts: 8 }
    const shown = report.facts.slice(0, facts)
    const left = report.facts.length - shown.length
    parts.push(
      [
        `## ${title}`,
        report.lead,
        shown.join('\n'),
        left > 0 ? `${counted(left, 'more line is', 'more lines are')} in that agent’s report.` : '',
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
    )
    missing.push(...report.gaps.map((gap) => `- ${gap}`))
  }
  if (images > 0)
    missing.push(`- ${counted(images, 'picture')} came with your task; a script can’t look at pictures.`)
  if (missing.length > 0) parts.push(`## What is missing\n\n${missing.join('\n')}`)
  parts.push(`${NEXT}\n\n${WHAT_NEXT}`)
  return parts.join('\n\n')
}

const WHAT_NEXT = `- Add a key in Settings. A model can then do the task itself, and this survey is a start for it.
- Write “save this survey”: I would put it into one file, \`troupe-survey.md\`, after asking you. You can then name that file to a model.
- Write other words, such as the name of a function or an error message: I look again for these.`

/**
 * The survey's facts in a message of the main agent, without the following sections; null if the message has no survey.
 */
export function surveyIn(said: string): string | null {
  const start = said.startsWith(TITLE) ? 0 : said.indexOf(`\n${TITLE}`) + 1
  if (start === 0 && !said.startsWith(TITLE)) return null
  const end = said.indexOf(`\n${NEXT}`, start)
  return `${said.slice(start, end < 0 ? undefined : end).trimEnd()}\n`
}

function task({ task, date: _ }: SummaryInput): string {
  const line = task.replace(/\s+/g, ' ').trim()
  return line === '' ? '' : `, for “${clip(line, 160)}”`
}

function whyMissing(answer: Answer | null): string {
  if (answer === null) return 'no agent here has the tools for it.'
  if (answer.ok) return 'its agent ended without a report.'
  const stopped = /^The agent .+ was stopped by /.test(answer.text)
  return stopped ? 'you stopped its agent before it had finished.' : reasonOf(answer)
}
