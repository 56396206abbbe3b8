/** A guess why a text is not in a file, so that the model can fix its call. */
import { linesAt } from '../../../../shared/kernel/amounts.ts'

/** Lines of the file that a message quotes at most. */
const MOST_SHOWN = 12

/** One or two sentences. Both texts have LF only. */
export function whyNotFound(text: string, wanted: string): string {
  if (/^ *\d+\t/.test(wanted) && text.includes(withoutNumbers(wanted)))
    return 'old_string is not in the file: it begins with the line numbers of Read’s output. Leave out the numbers and the tab after them.'
  const lines = text.split('\n')
  const asked = trimEmpty(wanted.split('\n'))
  const spaced = findLines(lines, asked, (line) => line.replace(/\s+/g, ' ').trim())
  if (spaced !== null) return similarText('white space', lines, { start: spaced, length: asked.length })
  const typeset = findLines(lines, asked, (line) => straight(line).replace(/\s+/g, ' ').trim())
  if (typeset !== null)
    return similarText('quotation marks or dashes', lines, { start: typeset, length: asked.length })
  const anyCase = findLines(lines, asked, (line) => line.replace(/\s+/g, ' ').trim().toLowerCase())
  if (anyCase !== null)
    return similarText('upper and lower case', lines, { start: anyCase, length: asked.length })
  const first = asked[0]?.trim() ?? ''
  const begun =
    first.length < 4 ? [] : lines.flatMap((line, index) => (line.trim() === first ? [index + 1] : []))
  const hint =
    begun.length > 0 && asked.length > 1
      ? ` Its first line is at ${linesAt(begun)}, but the lines after it differ.`
      : ''
  return `old_string is not in the file.${hint} Read the file again and copy the text exactly.`
}

function similarText(
  difference: string,
  lines: readonly string[],
  { start, length }: { readonly start: number; readonly length: number },
): string {
  const shown = lines.slice(start, start + Math.min(length, MOST_SHOWN))
  const more = length > MOST_SHOWN ? '\n…' : ''
  return `old_string is not in the file, but the text from line ${start + 1} differs only in ${difference}. The file has exactly:\n${shown.join('\n')}${more}`
}

/** The index of the lines, compared in normal form. The first and last may be parts of longer lines. */
function findLines(
  lines: readonly string[],
  asked: readonly string[],
  normal: (line: string) => string,
): number | null {
  if (asked.length === 0) return null
  const wanted = asked.map(normal)
  const here = lines.map(normal)
  if (wanted.every((line) => line === '')) return null
  for (let start = 0; start + wanted.length <= here.length; start++) {
    const fits = wanted.every((line, index) => {
      const there = here[start + index] ?? ''
      if (there === line) return true
      if (wanted.length === 1) return there.includes(line)
      return index === 0
        ? there.endsWith(line) && line !== ''
        : index === wanted.length - 1 && there.startsWith(line)
    })
    if (fits) return start
  }
  return null
}

function withoutNumbers(text: string): string {
  return text.replace(/^ *\d+\t/gm, '')
}

function trimEmpty(lines: readonly string[]): readonly string[] {
  const isText = (line: string) => line.trim() !== ''
  const first = lines.findIndex(isText)
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1)
}

/** Typographic characters as on a keyboard. */
function straight(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll('\u2026', '...')
}
