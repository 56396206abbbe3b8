/** The engine of searches: ripgrep finds lines of logs, and what these lines say is then matched exactly. */
import { posix } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { LoggedLine, SearchedLog, SearchedLogs } from '../../../shared/search/logged-texts.ts'
import {
  PLACES_OF_SEARCH,
  type SearchedConversation,
  type SearchPart,
  type SearchQuery,
} from '../../../shared/search/search.ts'
import { type TextMatcher, textMatcher } from '../../../shared/search/text-matcher.ts'
import { type Ripgrep, runRipgrep } from '../../platform/search/run-ripgrep.ts'
import { eachLineAt, linesBefore } from './each-line-at.ts'
import { type FoundPlace, type FoundPlaces, Tally } from './search-tally.ts'

export interface SearchTools {
  readonly ripgrep: Ripgrep
  readonly signal: AbortSignal
  /** Called with each line that is read: a search does no more work than lines with the text. */
  readonly onRead?: () => void
}

/** Conversations in the first batch, so that the newest places come at once; each further batch has 64 times as many. */
const FIRST_BATCH = 8
/** Characters of the arguments of one run: Windows takes 32,000. */
const MOST_ARGUMENTS = process.platform === 'win32' ? 24_000 : 400_000
/** Bytes of a line's start that ripgrep returns: enough for the head of an event. */
const START_LENGTH = 320

/**
 * Searches conversations in their order. Fails with `bad-pattern`, and, while it runs, with `aborted`, `timeout`, `not-found`
 * (ripgrep) or `io`.
 * @param later conversations that are not known yet, and are searched after the others
 */
export async function* searchLogs(
  query: SearchQuery,
  conversations: readonly SearchedLogs[],
  tools: SearchTools,
  later: Promise<readonly SearchedLogs[]> | null = null,
): AsyncGenerator<Result<SearchPart>> {
  const matcher = textMatcher(query)
  if (!matcher.ok) {
    yield matcher
    return
  }
  const reading: Reading = { query, matcher: matcher.value, tools }
  const tally = new Tally(query)
  let of = 0
  for (const group of later === null ? [conversations] : [conversations, later]) {
    const wanted = (await group).filter(
      ({ conversation: { id, archived } }) =>
        (query.archived || !archived) &&
        (query.conversations.length === 0 || query.conversations.includes(id)),
    )
    of += wanted.length
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
      for (const one of batch) {
        await addPlaces(tally, one, { ...reading, found: found.value })
        // Files are read without waiting, which is several times faster for short lines.
        await otherWork()
        if (tools.signal.aborted) break
      }
      if (tools.signal.aborted) {
        yield fail({ type: 'aborted', message: 'The search was stopped.' })
        return
      }
      const isLast = at === batches.length - 1 && (group === later || later === null)
      const end = tally.total >= PLACES_OF_SEARCH ? 'limit' : isLast ? 'all' : null
      yield ok(tally.take(of, end))
      if (end !== null) return
    }
  }
  yield ok(tally.take(of, 'all'))
}

async function addPlaces(
  tally: Tally,
  { conversation, logs, store }: SearchedLogs,
  { found, ...reading }: Reading & { readonly found: FoundLines },
): Promise<void> {
  for (const log of logs) {
    const places = placesIn(log, found, reading)
    if (places !== null) tally.add(conversation, await places)
  }
  const { ofFile, inFolder } = found
  if (store === undefined) return
  const paths = store.paths.map(slashed)
  if (paths.length > 0 && !paths.some((path) => ofFile.has(path) || inFolder.has(path))) return
  for (const { agent, lines } of await store.read()) {
    const places = lines.flatMap((line) => {
      reading.tools.onRead?.()
      return placesOf(line, reading)
    })
    tally.add(conversation, {
      log: { agentId: agent.id, agent: () => agent },
      places: newest(places),
      damaged: 0,
    })
  }
}

/** Parts of the conversations that one run of ripgrep searches. */
function batchesOf(conversations: readonly SearchedLogs[]): readonly (readonly SearchedLogs[])[] {
  const batches: SearchedLogs[][] = []
  let [batch, most, length]: [SearchedLogs[], number, number] = [[], FIRST_BATCH, 0]
  for (const one of conversations) {
    const own = pathsOf(one).reduce((sum, path) => sum + path.length + 1, 0)
    if (batch.length > 0 && (batch.length >= most || length + own > MOST_ARGUMENTS)) {
      batches.push(batch)
      ;[batch, most, length] = [[], most * 64, 0]
    }
    batch.push(one)
    length += own
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

const pathsOf = ({ logs, store }: SearchedLogs): readonly string[] => [
  ...logs.flatMap(({ file, outputs }) => (outputs === null ? [file] : [file, outputs.folder])),
  ...(store?.paths ?? []),
]

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
  // The agents of a conversation may share a folder of outputs.
  const paths = [...new Set(batch.flatMap(pathsOf))]
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

interface Reading {
  readonly query: SearchQuery
  readonly matcher: TextMatcher
  readonly tools: SearchTools
}

const newest = (places: readonly FoundPlace[]): readonly FoundPlace[] =>
  [...places].sort((one, other) => other.sequence - one.sequence)

/** The texts of a line that match. */
function placesOf(
  { sequence, at, texts }: LoggedLine,
  { query, matcher }: Reading,
  toolOf?: (call: string) => string | null,
): readonly FoundPlace[] {
  const { since, until, tools } = query
  if ((since !== null && at < since) || (until !== null && at > until)) return []
  return texts.flatMap(({ kind, tool: named, text, call }) => {
    const match = matcher.find(text)
    if (match === null) return []
    const tool = named ?? (call === undefined ? null : (toolOf?.(call) ?? null))
    return tools.length === 0 || (tool !== null && tools.includes(tool))
      ? [{ sequence, at, kind, tool, ...match }]
      : []
  })
}

/** The places of one log and its outputs; null: none, or the log is gone. */
function placesIn(
  log: SearchedLog,
  { ofFile, inFolder }: FoundLines,
  reading: Reading,
): FoundPlaces | Promise<FoundPlaces> | null {
  const { query, tools } = reading
  const { since, until } = query
  const found =
    ofFile.get(slashed(log.file))?.filter(({ start }) => log.mayHaveText(start, since, until)) ?? []
  const outputs = log.outputs === null ? [] : (inFolder.get(slashed(log.outputs.folder)) ?? [])
  if (found.length + outputs.length === 0) return null
  const places: FoundPlace[] = []
  let damaged = 0
  const isRead = eachLineAt(log.file, found, (text, isWhole, offset) => {
    tools.onRead?.()
    const value = jsonOrUndefined(text)
    const line = value === undefined ? null : log.read(value, offset)
    if (line !== null) places.push(...placesOf(line, reading, (call) => toolBefore(log, offset, call)))
    // A last line without an end is being written.
    else if (isWhole && value === undefined) damaged += 1
    return !tools.signal.aborted
  })
  if (!isRead) return null
  if (outputs.length === 0) return { log, places: newest(places), damaged }
  const files = outputs.map((file) => ({ file, lines: ofFile.get(file) ?? [] }))
  return outputPlaces(log, { files, places }, reading).then((more) => ({
    ...{ log, damaged },
    places: newest([...places, ...more]),
  }))
}

/** The tool of a call that another line before names; null: it is too far away. */
function toolBefore({ file, toolOf }: SearchedLog, offset: number, call: string): string | null {
  if (toolOf === undefined) return null
  for (const line of linesBefore(file, offset, CALL_DISTANCE).reverse()) {
    const tool = line.includes(call) ? toolOf(jsonOrUndefined(line), call) : null
    if (tool !== null) return tool
  }
  return null
}

/** Bytes before an output among which its call is looked for. */
const CALL_DISTANCE = 128 * 1024

const slashed = (path: string): string => path.replaceAll('\\', '/')

/** The places in whole outputs, of which the log has only a part. Those that the log shows too are left out. */
async function outputPlaces(
  log: SearchedLog,
  {
    files,
    places,
  }: {
    readonly files: readonly { readonly file: string; readonly lines: readonly FoundLine[] }[]
    readonly places: readonly FoundPlace[]
  },
  reading: Reading,
): Promise<readonly FoundPlace[]> {
  const { tools } = reading
  const calls = new Map<string, LoggedLine & { readonly offset: number }>()
  const whole = { linePattern: log.outputs?.pattern ?? '', matchCase: true, find: () => null }
  const only = [{ conversation: NOWHERE, logs: [{ ...log, outputs: null }] }]
  const ends = await linesWith(whole, only, tools)
  if (!ends.ok) return []
  const [found = []] = [...ends.value.ofFile.values()]
  eachLineAt(log.file, found, (text, _, offset) => {
    tools.onRead?.()
    const line = log.read(jsonOrUndefined(text), offset)
    if (line !== null && line.outputOf !== null) calls.set(line.outputOf, { ...line, offset })
    return !tools.signal.aborted
  })
  const more: FoundPlace[] = []
  for (const { file, lines } of files) {
    const line = calls.get(posix.basename(file, '.txt'))
    const [output] = line?.texts ?? []
    const isKnown = places.some(({ sequence, kind }) => sequence === line?.sequence && kind === 'output')
    if (line === undefined || output === undefined || isKnown) continue
    eachLineAt(file, lines, (text) => {
      tools.onRead?.()
      const [place] = placesOf({ ...line, texts: [{ ...output, text }] }, reading, (call) =>
        toolBefore(log, line.offset, call),
      )
      if (place !== undefined) more.push(place)
      return place === undefined && !tools.signal.aborted
    })
  }
  return more
}

const NOWHERE: SearchedConversation = {
  ...{ id: '', title: '', folder: '', archived: false, updatedAt: 0, program: 'troupe' },
}
