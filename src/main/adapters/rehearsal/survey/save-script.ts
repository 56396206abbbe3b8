/** Writes the survey to one file if the user allows it. Never replaces a file that is not a survey. */
import { type Answer, NO_ANSWER } from './read-conversation.ts'
import { code } from './report.ts'
import type { Script } from './script.ts'
import { readLines, reasonOf } from './tool-answers.ts'

export interface SaveInput {
  /** Relative to the folder. */
  readonly file: string
  readonly survey: string
  readonly tools: ReadonlySet<string>
}

export function* saveScript({ file, survey, tools }: SaveInput): Script {
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
