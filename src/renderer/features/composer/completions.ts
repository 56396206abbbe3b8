/** The word at the caret: agents follow `@`, files `#`, and commands a `/` at the start. */

type CompletionKind = 'agent' | 'file' | 'command' | 'argument'

/** The word to complete. */
export interface CompletionQuery {
  readonly kind: CompletionKind
  readonly query: string
  /** The start of the word, including its prefix. */
  readonly from: number
  readonly to: number
  /** The command that the argument belongs to. */
  readonly command: string
}

/** The word around the caret, or null. */
export function queryAt(text: string, caret: number): CompletionQuery | null {
  const before = text.slice(0, caret)
  const command = /^\/([\p{L}\p{N}_.:-]*)$/u.exec(before)
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret, command: '' }
  const word = /(?:^|\s)([@#])([^\s@#]*)$/.exec(before)
  if (word === null) {
    const [, name = '', query = ''] = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*) ([^\n]*)$/u.exec(before) ?? []
    if (name === '') return null
    return { kind: 'argument', query, from: caret - query.length, to: caret, command: name }
  }
  const query = word[2] ?? ''
  return {
    kind: word[1] === '@' ? 'agent' : 'file',
    query,
    from: caret - query.length - 1,
    to: caret,
    command: '',
  }
}

/** The text with the word replaced, and the new caret. */
export function complete(
  text: string,
  query: CompletionQuery,
  replacement: string,
): { text: string; caret: number } {
  const space = text[query.to] === ' ' ? '' : ' '
  const inserted = replacement === '' ? '' : replacement + space
  return {
    text: text.slice(0, query.from) + inserted + text.slice(query.to),
    caret: query.from + inserted.length + (space === '' && replacement !== '' ? 1 : 0),
  }
}

/** Keeps names that contain the letters of the query in order, the best match first: the whole name beats a prefix, a prefix beats a middle. */
export function rankByName<T>(items: readonly T[], query: string, nameOf: (item: T) => string): readonly T[] {
  const wanted = query.toLowerCase()
  const scored: { item: T; score: number }[] = []
  for (const item of items) {
    const score = scoreOf(nameOf(item).toLowerCase(), wanted)
    if (score !== null) scored.push({ item, score })
  }
  return scored.sort((a, b) => a.score - b.score).map(({ item }) => item)
}

function scoreOf(name: string, wanted: string): number | null {
  if (name === wanted) return -1
  const at = name.indexOf(wanted)
  if (at !== -1) return at === 0 ? 0 : 1 + at / 1000
  let from = 0
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1
    if (from === 0) return null
  }
  return 10 + from
}
