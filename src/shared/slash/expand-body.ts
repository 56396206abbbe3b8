/**
 * Splits the body of a command into text, shell commands and files, with the arguments filled in. Arguments add no shell
 * command: those are found before the arguments are filled in.
 */
import { splitArguments } from './slash-line.ts'

export type BodyPart =
  | { readonly kind: 'text'; readonly text: string }
  /** Replaced by the output of the command. */
  | { readonly kind: 'command'; readonly command: string }
  /** `text` as it stands in the body; the content of the file is added. */
  | { readonly kind: 'file'; readonly text: string; readonly path: string }

const COMMAND = /(?<=^|\s)!`([^`\n]+)`/g
/** `@src/cart.ts`, `@my\ notes.md`, `@"my notes.md"`. */
const FILE = /(?<=^|[\s(])@(?:"([^"\n]+)"|((?:[^\s\\`@,;:()'"]|\\ )+))/g
const PLACEHOLDER = /\$ARGUMENTS\b|\$([1-9])(?!\d)/g
/** In skills, `$0` and `$ARGUMENTS[0]` are the first argument. */
const PLACEHOLDER_OF_SKILL = /\$ARGUMENTS\[(\d{1,2})\]|\$ARGUMENTS\b|\$(\d)(?!\d)/g

/**
 * @param rest the text after the command's name
 * @param isSkill files are not added; a skill that has `$0` or `$ARGUMENTS[…]` counts its arguments from 0, another from 1
 */
export function expandBody(
  body: string,
  rest: string,
  { isSkill = false }: { readonly isSkill?: boolean } = {},
): readonly BodyPart[] {
  const values = splitArguments(rest)
  const places = isSkill ? PLACEHOLDER_OF_SKILL : PLACEHOLDER
  const first = isSkill && /\$0(?!\d)|\$ARGUMENTS\[\d/.test(body) ? 0 : 1
  const fill = (text: string) =>
    text.replace(places, (_, ...groups: unknown[]) => {
      const index = groups.slice(0, isSkill ? 2 : 1).find((group) => typeof group === 'string')
      return index === undefined ? rest : (values[Number(index) - first] ?? '')
    })
  const filesIn = isSkill
    ? (text: string): BodyPart[] => (text === '' ? [] : [{ kind: 'text', text }])
    : filesNamedIn
  const parts: BodyPart[] = []
  let from = 0
  for (const match of body.matchAll(COMMAND)) {
    parts.push(...filesIn(fill(body.slice(from, match.index))))
    parts.push({ kind: 'command', command: fill(match[1] ?? '').trim() })
    from = match.index + match[0].length
  }
  parts.push(...filesIn(fill(body.slice(from))))
  const isFilled = body.search(places) !== -1
  if (rest !== '' && !isFilled) parts.push(...filesIn(`\n\nArguments: ${rest}`))
  return parts
}

/** The text with the files that it names by `@`, whether they exist or not. */
export function filesNamedIn(text: string): readonly BodyPart[] {
  const parts: BodyPart[] = []
  let from = 0
  for (const match of text.matchAll(FILE)) {
    parts.push({ kind: 'text', text: text.slice(from, match.index) })
    const [whole, quoted] = match
    // The end of a sentence is not part of a path.
    const path = quoted ?? (match[2] ?? '').replace(/[.!?]+$/, '')
    const written = quoted === undefined ? `@${path}` : whole
    parts.push({
      kind: 'file',
      text: written,
      path: quoted ?? path.replaceAll('\\ ', ' '),
    })
    from = match.index + written.length
  }
  parts.push({ kind: 'text', text: text.slice(from) })
  return parts.filter((part) => part.kind !== 'text' || part.text !== '')
}
