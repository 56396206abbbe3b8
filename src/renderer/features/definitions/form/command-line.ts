/** The command line of an external agent as one text, as it is typed in a terminal. */
import { splitArguments } from '../../../../shared/slash/slash-line.ts'

/** The words in one line, with double quotes where a word needs them. `wordsOf` reads it back. */
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s"']+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`))
    .join(' ')
}

/** The words of a typed line; quotes keep spaces. */
export const wordsOf = (line: string): readonly string[] => splitArguments(line)

/** Why a typed line is no command line of a program; null: it is one. */
export function whatIsWrongWithLine(line: string): string | null {
  const words = wordsOf(line)
  const [first] = words
  if (first === undefined) return 'Enter the program to start, such as goose acp.'
  const assigned = /^([A-Za-z_]\w*)=/.exec(first)?.[1]
  if (assigned !== undefined) return `Add ${assigned} under Variables. The line begins with the program.`
  const operator = words.find((word) => /^(?:[|&;<>]+|\d?>>?.*)$/.test(word))
  if (operator !== undefined) return `No shell runs this line: ${operator} has no effect. Remove it.`
  return null
}
