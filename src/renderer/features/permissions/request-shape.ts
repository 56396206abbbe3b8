/**
 * The shape of a permission request. Requests of one shape are similar: the same tool, for the same reason, with the
 * same command or path but for the names of files in the same place, or for numbers.
 */

import type { AnsweredRequest } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/permissions.ts'
import { shellWords } from '../../../shared/kernel/shell-words.ts'
import { hasHiddenCharacters } from '../../../shared/kernel/visible-text.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'

export interface RequestFacts {
  readonly request: Pick<
    PendingRequest,
    'toolName' | 'subject' | 'because' | 'alwaysRule' | 'ruleOffers' | 'choices'
  >
  /** Whether the agent works in a worktree of its own. */
  readonly isInWorktree: boolean
  /** Where the agent runs, unless in this program. */
  readonly place: string | null
}

/**
 * Null: the request is like no other. That holds for one that may do harm, for one with hidden characters, and for an
 * edit of the folder itself. Edits in worktrees of their own are similar: Review shows them again before they count.
 */
export function requestShape({ request, isInWorktree, place }: RequestFacts): string | null {
  const { toolName, subject, because } = request
  const { kind, action, text, folder } = subject
  if ([action, text, folder].some(hasHiddenCharacters) || isDangerous(subject)) return null
  if (kind === 'diff' && (!isInWorktree || offersOf(request).length === 0)) return null
  return JSON.stringify([
    toolName,
    kind,
    kind === 'diff' ? '' : sentenceShape(action),
    SHAPES[kind](text),
    sentenceShape(because),
    offersOf(request).length > 0,
    isInWorktree,
    place,
    subject.confinement ?? null,
    request.choices ?? [],
  ])
}

/** Whether a part of what is asked may do harm that can't be taken back. */
export function isDangerous({ parts = [] }: PendingRequest['subject']): boolean {
  return parts.some(({ danger }) => danger !== undefined)
}

const SHAPES: Readonly<Record<PendingRequest['subject']['kind'], (text: string) => unknown>> = {
  diff: () => '',
  command: commandShape,
  file: wordShape,
  url: urlShape,
  other: (text) => text,
}

/** The words of a command. A program keeps its name: only its arguments may differ. */
function commandShape(command: string): readonly string[] {
  let isProgram = true
  return shellWords(command).map((word) => {
    if (/^\s+$/.test(word)) {
      if (word.includes('\n')) isProgram = true
      return word
    }
    const shape = isProgram ? word : wordShape(word)
    isProgram = /[;&|(]$/.test(word)
    return shape
  })
}

/** The address without the names in its path. A query or a fragment makes an address unlike others. */
function urlShape(text: string): string {
  if (!URL.canParse(text)) return text
  const { origin, pathname, search, hash } = new URL(text)
  return `${origin}${pathname === '/' ? '/' : wordShape(pathname)}${search}${hash}`
}

function sentenceShape(sentence: string): string {
  return sentence.replaceAll(/\S+/g, (word) => {
    const [, name = word, mark = ''] = /^(.*?)([.,:;]*)$/s.exec(word) ?? []
    return wordShape(name) + mark
  })
}

/** Letters, digits and a few signs of ASCII: nothing that a shell expands, and no character that looks like another. */
const PLAIN = /^[\w+./-]+$/

/** A number is any number; a file is any file of its kind, as deep in the same top folder; any other word is itself. */
function wordShape(word: string): string {
  if (/^\d+$/.test(word)) return '<number>'
  if (!PLAIN.test(word) || word.startsWith('-')) return word
  const parts = word.replace(/^\.\//, '').split('/')
  const isAbsolute = parts[0] === '' && parts.length > 1
  const names = isAbsolute ? parts.slice(1) : parts
  // A hidden file may be a secret or a setting, and ".." leaves the folder.
  if (names.some((name) => name === '' || name.startsWith('.'))) return word
  const [, ending = ''] = /^[^.]+(\..+)$/.exec(names.at(-1) ?? '') ?? []
  // A plain word may be a subcommand.
  if (names.length === 1 && ending === '') return word
  const top = names.length > 1 ? names[0] : ''
  return `<file ${isAbsolute ? '/' : ''}${top}/${names.length}${ending}>`
}

/** A request that waits, as far as its title shows it. */
export type Request = Pick<PendingRequest, 'toolName' | 'subject'>

/** The answer to a permission request, in words. */
type Outcome = Pick<AnsweredRequest, 'decision' | 'answeredBy' | 'rule'>

/** Beside a line of a list: "once", "always", "by rule", "denied". */
export function outcomeKeyword({ decision, answeredBy }: Outcome): string {
  if (decision === 'deny') return 'denied'
  if (answeredBy === 'rules') return 'by rule'
  return decision === 'allow-once' ? 'once' : 'always'
}

/** A sentence without a rule's text: "Allowed once." */
export function outcomeSentence({ decision, answeredBy, rule }: Outcome): string {
  if (answeredBy === 'rules') {
    const by = rule === null ? 'by a change of the rules or the mode' : 'by a new rule'
    return decision === 'deny' ? `Denied ${by}.` : `Allowed ${by}.`
  }
  if (decision === 'deny') return 'Denied.'
  return decision === 'allow-once' ? 'Allowed once.' : 'Always allowed from now on.'
}

/** The rules that "Always allow" can add for several similar requests at once. */
type OfferedRequest = Pick<PendingRequest, 'requestId' | 'alwaysRule' | 'ruleOffers'>

interface GroupOffer {
  /** The rule for each request, by its id. */
  readonly rules: ReadonlyMap<string, string>
  /** The different rules. */
  readonly texts: readonly string[]
  /** What they allow beside these requests; null: nothing. */
  readonly alsoCovers: string | null
}

/** First the narrowest rule of each request, then every wider rule that all of them offer. */
export function groupOffers(requests: readonly OfferedRequest[]): readonly GroupOffer[] {
  const offered = requests.map((request) => ({ id: request.requestId, offers: offersOf(request) }))
  const [first, ...others] = offered
  if (first === undefined || offered.some(({ offers }) => offers.length === 0)) return []
  const exact = offerOf(
    offered.map(({ id, offers }) => [id, offers[0]?.rule ?? '']),
    first.offers[0]?.alsoCovers,
  )
  const wider = first.offers
    .filter(({ rule }) => !exact.texts.includes(rule))
    .filter(({ rule }) => others.every(({ offers }) => offers.some((one) => one.rule === rule)))
    .map(({ rule, alsoCovers }) =>
      offerOf(
        offered.map(({ id }) => [id, rule]),
        alsoCovers,
      ),
    )
  return [exact, ...wider]
}

function offerOf(rules: readonly (readonly [string, string])[], alsoCovers: string | undefined): GroupOffer {
  return {
    rules: new Map(rules),
    texts: [...new Set(rules.map(([, rule]) => rule))],
    alsoCovers: alsoCovers ?? null,
  }
}
