/**
 * Extracts search words from a task: quoted texts, paths, names in code, and meaningful words. A script can't
 * understand a task, so it only searches for words.
 */

type WordKind =
  /** Text in quotation marks, searched unchanged. */
  | 'quoted'
  /** Looks like a path or a file's name. */
  | 'path'
  /** Looks like a name in code: `parseDuration`, `dark-mode`, `max_turns`. */
  | 'name'
  /** Two adjacent words, which may be one name in the code. */
  | 'pair'
  | 'word'

export interface TaskWord {
  /** For display: `parseDuration`, `duration`. */
  readonly text: string
  readonly kind: WordKind
}

/** Words without value for a search, each list as one text with blanks between its words. */
export interface WordLists {
  /** Function words of common languages. */
  readonly stop: string
  /** Verbs of a request at the start of a sentence: "split the file" names no search word, "the split" does. */
  readonly requests: string
  /** Words that occur in every folder: searched only if no better word is left. */
  readonly common: string
}

type KnownWords = Readonly<Record<keyof WordLists, ReadonlySet<string>>>

function knownWords({ stop, requests, common }: WordLists): KnownWords {
  const set = (text: string) => new Set(text.trim().split(/\s+/))
  return { stop: set(stop), requests: set(requests), common: set(common) }
}

/** Maximum searches at once. */
const MOST_WORDS = 6
const LONGEST_WORD = 60
/** Characters. A longer task, such as a pasted log, is cut. */
const LONGEST_TASK = 20_000

/** The search words, the most specific first; empty if the task has only greetings and stop words. */
export function taskWords(task: string, lists: WordLists): readonly TaskWord[] {
  const known = knownWords(lists)
  const found = new WordList(known.common)
  let rest = task.slice(0, LONGEST_TASK).replace(/\bhttps?:\/\/\S+/gi, ' ')
  const take = (pattern: RegExp, kind: WordKind, fits: (text: string) => boolean = () => true) => {
    rest = rest.replace(pattern, (whole, ...groups: unknown[]) => {
      const text = groups.slice(0, -2).find((group) => typeof group === 'string') ?? whole
      const word = String(text).trim()
      if (word.length < 2 || word.length > LONGEST_WORD || !fits(word)) return whole
      found.add(word, kind === 'quoted' ? kindOfQuoted(word, known.stop) : kind)
      return ' \n '
    })
  }
  take(QUOTED, 'quoted')
  take(PATH, 'path', (text) => isPath(text, known.stop))
  take(NAME, 'name', (text) => piecesOf(text).some((piece) => !known.stop.has(piece)))
  addPlainWords(rest, found, known)
  return found.best()
}

const QUOTED =
  /`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«\s*([^»\n]+?)\s*»|(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])|‘([^’\n]+)’|「([^」\n]+)」/gu
const PATH = /(?<![\w@])(?:\.{0,2}\/)?[\p{L}\p{N}_.@+~-]+(?:[/\\][\p{L}\p{N}_.@+~-]+)*\/?/gu
/** camelCase, PascalCase with two humps, snake_case, kebab-case, dotted.names, call(), --flags and $variables. */
const NAME =
  /(?<![\p{L}\p{N}_])(?:--?|\$|@)?([\p{L}_][\p{L}\p{N}]*(?:[_-][\p{L}\p{N}]+)+|[\p{Ll}_][\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}_]*|\p{Lu}[\p{Ll}\p{N}]+(?:\p{Lu}[\p{Ll}\p{N}]*)+|\p{Lu}+[\p{Ll}\p{N}]*\d+|[\p{L}_][\p{L}\p{N}_]*(?=\(\)))(?:\(\))?/gu

/** A slash between names, or a file extension; `and/or` and `1.5` are not paths. */
function isPath(text: string, stop: ReadonlySet<string>): boolean {
  if (/^[\d.,/-]+$/.test(text)) return false
  if (/\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(text) && !/\.$/.test(text)) return !/^[A-Za-z]\.[A-Za-z]$/.test(text)
  if (/^\.[\w-]+$/.test(text)) return true
  const parts = text.split(/[/\\]/).filter((part) => part !== '')
  if (parts.length < 2) return /[/\\]$/.test(text) && parts.length === 1
  return !parts.every((part) => stop.has(part.toLowerCase()))
}

function kindOfQuoted(text: string, stop: ReadonlySet<string>): WordKind {
  if (/\s/.test(text)) return 'quoted'
  return isPath(text, stop) ? 'path' : 'quoted'
}

/** `Intl.Segmenter` splits languages without spaces into words. */
function addPlainWords(text: string, found: WordList, { stop, requests, common }: KnownWords): void {
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
  let before: string | null = null
  let begins = true
  for (const { segment, isWordLike } of segments) {
    if (/^[ \t]+$/.test(segment)) continue
    const lower = segment.toLowerCase()
    const isUseful = isWordLike === true && isSearchWord(lower, stop) && !(begins && requests.has(lower))
    begins = isWordLike !== true || LEADS_TO_A_REQUEST.has(lower)
    if (!isUseful) {
      before = null
      continue
    }
    if (before !== null && ![before, lower].some((word) => common.has(word)))
      found.add(`${before} ${lower}`, 'pair')
    found.add(segment, 'word')
    before = lower
  }
}

/** A request may follow these words, as it may follow a comma. */
const LEADS_TO_A_REQUEST: ReadonlySet<string> = new Set([
  'and',
  'to',
  'please',
  'then',
  'you',
  'should',
  'must',
])

/** Letters of scripts whose words are short. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

function isSearchWord(lower: string, stop: ReadonlySet<string>): boolean {
  if (stop.has(lower) || /^\d+$/.test(lower)) return false
  if (/^\p{Script=Hiragana}+$/u.test(lower)) return false
  return lower.length >= (DENSE.test(lower) ? 2 : 3)
}

const WEIGHTS: Readonly<Record<WordKind, number>> = { quoted: 100, path: 90, name: 80, pair: 24, word: 20 }

class WordList {
  private readonly common: ReadonlySet<string>
  private readonly words = new Map<string, { readonly word: TaskWord; readonly weight: number }>()

  constructor(common: ReadonlySet<string>) {
    this.common = common
  }

  add(text: string, kind: WordKind): void {
    const key = kind === 'pair' ? `pair ${text}` : stemOf(text.toLowerCase())
    if (this.words.has(key)) return
    const common = kind === 'word' && this.common.has(text.toLowerCase())
    // Longer words are more specific. Equal weights keep the order of the task.
    const weight = common ? 1 : WEIGHTS[kind] + Math.min(12, text.length) / 2
    this.words.set(key, { word: { text, kind }, weight })
  }

  best(): readonly TaskWord[] {
    const ranked = [...this.words.values()].sort((a, b) => b.weight - a.weight)
    const telling = ranked.filter(({ weight }) => weight > 1)
    const chosen = telling.length > 0 ? telling : ranked
    const pairs = chosen.filter(({ word }) => word.kind === 'pair').slice(0, 2)
    const others = chosen.filter(({ word }) => word.kind !== 'pair').slice(0, MOST_WORDS - pairs.length)
    return [...others, ...pairs].map(({ word }) => word)
  }
}

/** The parts of a name in code; empty for a single word. */
export function namePartsOf({ text, kind }: TaskWord, lists: WordLists): readonly TaskWord[] {
  const { stop } = knownWords(lists)
  if (kind !== 'name') return []
  const parts = piecesOf(text).filter((part) => part.length >= 4 && !stop.has(part))
  return parts.length < 2 ? [] : parts.map((part) => ({ text: part, kind: 'word' }))
}

/** `parseDuration` as `parse` and `duration`. */
function piecesOf(text: string): readonly string[] {
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
  return apart
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
}

/** The stem of an English word: `durations`, `parsing`, `failed`. */
function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word
  if (word.length >= 7 && word.endsWith('ing')) return word.slice(0, -3)
  if (word.length >= 6 && word.endsWith('ies')) return word.slice(0, -3)
  if (word.length >= 6 && word.endsWith('ed')) return word.slice(0, -2)
  if (word.length >= 6 && /(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (word.length >= 4 && word.endsWith('s') && !/(ss|us|is)$/.test(word)) return word.slice(0, -1)
  return word
}

/** The regular expression that finds a word, for a search that ignores case. */
export function patternOf({ text, kind }: TaskWord): string {
  switch (kind) {
    case 'quoted':
    case 'path':
      return escapePattern(text)
    case 'word':
      return escapePattern(stemOf(text.toLowerCase()))
    case 'name':
    case 'pair': {
      // The spellings of one name: darkMode, dark_mode, dark-mode.
      const pieces = piecesOf(text).map(escapePattern)
      const last = pieces.pop() ?? ''
      return [...pieces, kind === 'pair' ? stemOf(last) : last].join('[-_ ]?')
    }
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, (character) => `\\${character}`)
}
