/** Problems of a definition's characters, whatever they mean: NUL characters and a byte-order mark. */
import type { Diagnostic, TextEdit } from './agent-definition.ts'
import { sourcePositions } from './source-positions.ts'

/** @param text the file's text as read from UTF-8 */
export function textProblems(text: string): readonly Diagnostic[] {
  return [...markProblem(text), ...nulProblem(text)]
}

function markProblem(text: string): readonly Diagnostic[] {
  if (!text.startsWith('\uFEFF')) return []
  return [
    {
      code: 'byte-order-mark',
      severity: 'notice',
      message: 'The file begins with a byte-order mark, which not every program skips.',
      ...sourcePositions(text).at(0, 1),
      fixes: [
        {
          label: 'Remove the byte-order mark',
          edits: [{ from: 0, to: 1, insert: '' }],
          isCertain: false,
          isShownFirst: true,
        },
      ],
    },
  ]
}

/** One for all: a file cut off or copied wrongly has many. */
function nulProblem(text: string): readonly Diagnostic[] {
  const edits: TextEdit[] = []
  for (let at = text.indexOf('\0'); at !== -1; at = text.indexOf('\0', at + 1))
    edits.push({ from: at, to: at + 1, insert: '' })
  const [first] = edits
  if (first === undefined) return []
  const position = sourcePositions(text).at(first.from, first.to)
  const which = edits.length === 1 ? 'a NUL character' : `${edits.length} NUL characters, the first`
  return [
    {
      code: 'nul',
      severity: 'warning',
      message: `The file has ${which} in line ${position.line}. Other programs may stop reading there.`,
      ...position,
      fixes: [
        {
          label: edits.length === 1 ? 'Remove the NUL character' : `Remove ${edits.length} NUL characters`,
          edits: joined(edits),
          isCertain: false,
          isShownFirst: true,
        },
      ],
    },
  ]
}

/** Adjacent edits as one. */
function joined(edits: readonly TextEdit[]): readonly TextEdit[] {
  const runs: { from: number; to: number; insert: string }[] = []
  for (const { from, to } of edits) {
    const last = runs.at(-1)
    if (last?.to === from) last.to = to
    else runs.push({ from, to, insert: '' })
  }
  return runs
}
