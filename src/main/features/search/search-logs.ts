/** The engine of searches: ripgrep finds lines of logs, and what these lines say is then matched exactly. */
import { posix } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { LoggedText } from '../../../shared/search/logged-texts.ts'
import {
  HITS_OF_AGENT,
  HITS_OF_SEARCH,
  PLACES_OF_SEARCH,
  type SearchCounts,
  type SearchedAgent,
  type SearchedConversation,
  type SearchHit,
  type SearchKind,
  type SearchPart,
  type SearchQuery,
} from '../../../shared/search/search.ts'
import { type TextMatcher, textMatcher } from '../../../shared/search/text-matcher.ts'
import { type Ripgrep, runRipgrep } from '../../platform/search/run-ripgrep.ts'
import { eachLineAt } from './each-line-at.ts'

/** A conversation with its logs, of this program or of another one. */
export interface SearchedLogs {
  readonly conversation: SearchedConversation
  readonly logs: readonly SearchedLog[]
}

/** The log of one agent: a file with an event as JSON on each line. */
export interface SearchedLog {
  readonly agentId: string
  /** Absolute. */
  readonly file: string
  /** The folder of whole outputs, named after their calls, of which the log has only head and tail; null: none. */
  readonly outputs: string | null
  /** What a line says; null: it is no event. */
  readonly read: (line: unknown) => LoggedLine | null
  /** False if a line that begins like this has no text, so that it need not be read. */
  readonly mayHaveText: (start: string, since: number | null, until: number | null) => boolean
  /** Whose log it is; null: its start can't be read. */
  readonly agent: () => Omit<SearchedAgent, 'places' | 'conversationId'> | null
}

export interface LoggedLine {
  readonly sequence: number
  /** ms since the epoch. */
  readonly at: number
  readonly texts: readonly LoggedText[]
  /** The call whose output has a file of its own; null: none. */
  readonly outputOf: string | null
}

export interface SearchTools {
  readonly ripgrep: Ripgrep
  readonly signal: AbortSignal
  /** Called with each line that is read: a search does no more work than lines with the text. */
  readonly onRead?: () => void
}

/** Conversations in the first batch, so that the newest places come at once; each further batch has eight times as many. */
const FIRST_BATCH = 8
/** Characters of the arguments of one run: Windows takes 32,000. */
const MOST_ARGUMENTS = process.platform === 'win32' ? 24_000 : 400_000
/** Bytes of a line's start that ripgrep returns: enough for the head of an event. */
const START_LENGTH = 320

/**
 * Searches conversations in their order. Fails with `bad-pattern`, and, while it runs, with `aborted`, `timeout`, `not-found`
 * (ripgrep) or `io`.
 */
export async function* searchLogs(
  query: SearchQuery,
  conversations: readonly SearchedLogs[],
  tools: SearchTools,
): AsyncGenerator<Result<SearchPart>> {
  const matcher = textMatcher(query)
  if (!matcher.ok) {
    yield matcher
    return
  }
  const wanted = conversations.filter(
    ({ conversation: { id, archived } }) =>
      (query.archived || !archived) && (query.conversations.length === 0 || query.conversations.includes(id)),
  )
  const tally = new Tally(query)
  const batches = batchesOf(wanted)
  const find = (batch: readonly SearchedLogs[]) => linesWith(matcher.value, batch, tools)
  // The next batch is searched while the lines of this one are read.
  let next = batches[0] && find(batches[0])
  for (const [at, batch] of batches.entries()) {
    const found = await next
    const following = batches[at + 1]
    next = following && find(following)
    // A failure of the next batch is reported in its turn.
    next?.catch(() => undefined)
    if (found === undefined) break
    if (!found.ok) {
      yield found
      return
    }
    tally.searched(batch.length, found.value.bytes)
    for (const { conversation, logs } of batch) {
      for (const log of logs) {
        const places = placesIn(log, found.value, { query, matcher: matcher.value, tools })
        if (places !== null) tally.add(conversation, await places)
      }
      // Files are read without waiting, which is several times faster for short lines.
      await otherWork()
      if (tools.signal.aborted) break
    }
    if (tools.signal.aborted) {
      yield fail({ type: 'aborted', message: 'The search was stopped.' })
      return
    }
    const end = tally.total >= PLACES_OF_SEARCH ? 'limit' : at === batches.length - 1 ? 'all' : null
    yield ok(tally.take(wanted.length, end))
    if (end !== null) return
  }
  yield ok(tally.take(wanted.length, 'all'))
}

/** Parts of the conversations that one run of ripgrep searches. */
function batchesOf(conversations: readonly SearchedLogs[]): readonly (readonly SearchedLogs[])[] {
  const batches: SearchedLogs[][] = []
  let [batch, most, length]: [SearchedLogs[], number, number] = [[], FIRST_BATCH, 0]
  for (const one of conversations) {
    const own = one.logs.reduce((sum, { file, outputs }) => sum + file.length + (outputs?.length ?? 0) + 2, 0)
    if (batch.length > 0 && (batch.length >= most || length + own > MOST_ARGUMENTS)) {
      batches.push(batch)
      ;[batch, most, length] = [[], most * 8, 0]
    }
    batch.push(one)
    length += own
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

/** The byte at which a line begins, and its first characters. */
interface FoundLine {
  readonly offset: number
  readonly start: string
}

/** The lines with the text. Paths have slashes. */
interface FoundLines {
  readonly ofFile: ReadonlyMap<string, readonly FoundLine[]>
  /** By folder: its files with such lines. */
  readonly inFolder: ReadonlyMap<string, readonly string[]>
  readonly bytes: number
}

/** Runs ripgrep over the files of a batch. Files that are gone meanwhile are passed over. */
async function linesWith(
  { linePattern, matchCase }: TextMatcher,
  batch: readonly SearchedLogs[],
  { ripgrep, signal }: SearchTools,
): Promise<Result<FoundLines>> {
  const logs = batch.flatMap((one) => one.logs)
  const paths = logs.flatMap(({ file, outputs }) => (outputs === null ? [file] : [file, outputs]))
  const ofFile = new Map<string, FoundLine[]>()
  const inFolder = new Map<string, string[]>()
  let bytes = 0
  if (paths.length === 0) return ok({ ofFile, inFolder, bytes })
  const ran = await runRipgrep(ripgrep, {
    args: [
      ...['--no-messages', '--no-ignore', '--hidden', '--text', '--no-mmap', '--color=never', '--stats'],
      ...['--no-heading', '--with-filename', '--null', '--no-line-number', '--byte-offset'],
      ...[`--max-columns=${START_LENGTH}`, '--max-columns-preview', '--path-separator=/'],
      matchCase ? '--case-sensitive' : '--ignore-case',
      ...[`--regexp=${linePattern}`, '--', ...paths],
    ],
    separator: '\n',
    signal,
    onRecord(record) {
      const end = record.indexOf('\0')
      if (end < 0) {
        const searched = /^(\d+) bytes searched$/.exec(record)
        if (searched) bytes += Number(searched[1])
        return true
      }
      const colon = record.indexOf(':', end)
      const file = record.slice(0, end)
      const line = { offset: Number(record.slice(end + 1, colon)), start: record.slice(colon + 1) }
      const known = ofFile.get(file)
      if (known) known.push(line)
      else {
        ofFile.set(file, [line])
        const folder = posix.dirname(file)
        inFolder.set(folder, [...(inFolder.get(folder) ?? []), file])
      }
      return true
    },
  })
  return ran.ok ? ok({ ofFile, inFolder, bytes }) : ran
}

/** A place before its agent is known. */
interface Place extends Pick<SearchHit, 'sequence' | 'at' | 'kind' | 'tool' | 'line' | 'marks'> {}

interface FoundPlaces {
  readonly log: SearchedLog
  /** The newest first. */
  readonly places: readonly Place[]
  readonly damaged: number
}

interface Reading {
  readonly query: SearchQuery
  readonly matcher: TextMatcher
  readonly tools: SearchTools
}

/** The places of one log and its outputs; null: none, or the log is gone. */
function placesIn(
  log: SearchedLog,
  { ofFile, inFolder }: FoundLines,
  { query, matcher, tools }: Reading,
): FoundPlaces | Promise<FoundPlaces> | null {
  const { since, until } = query
  const found =
    ofFile.get(slashed(log.file))?.filter(({ start }) => log.mayHaveText(start, since, until)) ?? []
  const outputs = log.outputs === null ? [] : (inFolder.get(slashed(log.outputs)) ?? [])
  if (found.length + outputs.length === 0) return null
  const places: Place[] = []
  let damaged = 0
  const take = ({ sequence, at, texts }: LoggedLine) => {
    if ((since !== null && at < since) || (until !== null && at > until)) return
    for (const { kind, tool, text } of texts) {
      const match = matcher.find(text)
      if (match !== null && (query.tools.length === 0 || (tool !== null && query.tools.includes(tool))))
        places.push({ sequence, at, kind, tool, ...match })
    }
  }
  const isRead = eachLineAt(log.file, found, (text, isWhole) => {
    tools.onRead?.()
    const value = jsonOrUndefined(text)
    const line = value === undefined ? null : log.read(value)
    if (line !== null) take(line)
    // A last line without an end is being written.
    else if (isWhole) damaged += 1
    return !tools.signal.aborted
  })
  if (!isRead) return null
  const sorted = () => places.sort((one, other) => other.sequence - one.sequence)
  if (outputs.length === 0) return { log, places: sorted(), damaged }
  const files = outputs.map((file) => ({ file, lines: ofFile.get(file) ?? [] }))
  return outputPlaces(log, { files, places }, { query, matcher, tools }).then((more) => {
    places.push(...more)
    return { log, places: sorted(), damaged }
  })
}

const slashed = (path: string): string => path.replaceAll('\\', '/')

/** The places in whole outputs, of which the log has only head and tail. Those that the log shows too are left out. */
async function outputPlaces(
  log: SearchedLog,
  {
    files,
    places,
  }: {
    readonly files: readonly { readonly file: string; readonly lines: readonly FoundLine[] }[]
    readonly places: readonly Place[]
  },
  { query, matcher, tools }: Reading,
): Promise<readonly Place[]> {
  const calls = new Map<string, LoggedLine>()
  const whole = { linePattern: '"outputFile":\\{"path"', matchCase: true, find: () => null }
  const only = [{ conversation: NOWHERE, logs: [{ ...log, outputs: null }] }]
  const ends = await linesWith(whole, only, tools)
  if (!ends.ok) return []
  const [found = []] = [...ends.value.ofFile.values()]
  eachLineAt(log.file, found, (text) => {
    tools.onRead?.()
    const line = log.read(jsonOrUndefined(text))
    if (line !== null && line.outputOf !== null) calls.set(line.outputOf, line)
    return !tools.signal.aborted
  })
  const more: Place[] = []
  for (const { file, lines } of files) {
    const call = calls.get(posix.basename(file, '.txt'))
    const tool = call?.texts[0]?.tool ?? null
    if (
      call === undefined ||
      places.some(({ sequence, kind }) => sequence === call.sequence && kind === 'output')
    )
      continue
    if ((query.since !== null && call.at < query.since) || (query.until !== null && call.at > query.until))
      continue
    if (query.tools.length > 0 && (tool === null || !query.tools.includes(tool))) continue
    eachLineAt(file, lines, (text) => {
      tools.onRead?.()
      const match = matcher.find(text)
      if (match !== null) more.push({ sequence: call.sequence, at: call.at, kind: 'output', tool, ...match })
      return match === null && !tools.signal.aborted
    })
  }
  return more
}

const NOWHERE: SearchedConversation = { id: '', title: '', folder: '', archived: false, updatedAt: 0 }

const DAY = 86_400_000

/** What a search has found: the numbers of all places, and the hits of the next part. */
class Tally {
  private readonly query: SearchQuery
  private conversations: SearchedConversation[] = []
  private agents: SearchedAgent[] = []
  private hits: SearchHit[] = []
  private kept = 0
  private done = { conversations: 0, bytes: 0 }
  private damaged = 0
  private readonly byAgent: Record<string, number> = {}
  private readonly byKind: Partial<Record<SearchKind, number>> = {}
  private readonly byFolder: Record<string, number> = {}
  private readonly byDay: Record<number, number> = {}
  total = 0

  constructor(query: SearchQuery) {
    this.query = query
  }

  searched(conversations: number, bytes: number): void {
    this.done = { conversations: this.done.conversations + conversations, bytes: this.done.bytes + bytes }
  }

  add(conversation: SearchedConversation, { log, places, damaged }: FoundPlaces): void {
    this.damaged += damaged
    if (places.length === 0) return
    const { agents, kinds, folders } = this.query
    const agent = log.agent() ?? { id: log.agentId, name: log.agentId, task: '', color: '' }
    const isOfAgent = agents.length === 0 || agents.includes(agent.name)
    const isOfFolder = folders.length === 0 || folders.includes(conversation.folder)
    let wanted = 0
    for (const place of places) {
      const isOfKind = kinds.length === 0 || kinds.includes(place.kind)
      if (isOfKind && isOfFolder) this.byAgent[agent.name] = (this.byAgent[agent.name] ?? 0) + 1
      if (isOfAgent && isOfFolder) this.byKind[place.kind] = (this.byKind[place.kind] ?? 0) + 1
      if (isOfAgent && isOfKind)
        this.byFolder[conversation.folder] = (this.byFolder[conversation.folder] ?? 0) + 1
      if (!isOfAgent || !isOfKind || !isOfFolder) continue
      wanted += 1
      const day = Math.floor(place.at / DAY)
      this.byDay[day] = (this.byDay[day] ?? 0) + 1
      if (wanted > HITS_OF_AGENT || this.kept >= HITS_OF_SEARCH) continue
      this.kept += 1
      this.hits.push({ conversationId: conversation.id, agentId: log.agentId, ...place })
    }
    if (wanted === 0) return
    this.total += wanted
    if (this.conversations.at(-1)?.id !== conversation.id) this.conversations.push(conversation)
    this.agents.push({ ...agent, conversationId: conversation.id, places: wanted })
  }

  /** What was found since the last part. */
  take(of: number, end: SearchPart['end']): SearchPart {
    const { conversations, agents, hits } = this
    ;[this.conversations, this.agents, this.hits] = [[], [], []]
    const { byAgent, byKind, byFolder, byDay } = this
    const counts: SearchCounts = {
      total: this.total,
      ...{ byAgent: { ...byAgent }, byKind: { ...byKind }, byFolder: { ...byFolder }, byDay: { ...byDay } },
    }
    return { conversations, agents, hits, counts, searched: { ...this.done, of }, damaged: this.damaged, end }
  }
}
