/** `troupe search`: prints the places with a text, the newest conversation first. */
import { resolve } from 'node:path'
import type { HistoryProgram } from '../../../shared/histories/history.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type NamedTime, namedTime } from '../../../shared/kernel/times.ts'
import type { SearchedLogs } from '../../../shared/search/logged-texts.ts'
import {
  plainQuery,
  type SearchedAgent,
  type SearchedConversation,
  type SearchedProgram,
  type SearchHit,
  type SearchKind,
  type SearchQuery,
  searchedNames,
  searchedPrograms,
  searchKinds,
} from '../../../shared/search/search.ts'
import { textMatcher } from '../../../shared/search/text-matcher.ts'
import {
  EXIT,
  failed,
  jsonLine,
  oneLine,
  type Printing,
  printedLines,
} from '../../platform/command-line/terminal.ts'
import { usage } from '../../platform/command-line/verb.ts'
import { findRipgrep } from '../../platform/search/ripgrep-search.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import { type FindingOptions, unaskedPrograms } from '../histories/history-finding.ts'
import { createSearchedHistories } from '../histories/searched-histories.ts'
import { searchLogs } from './search-logs.ts'
import { createTroupeLogs } from './troupe-logs.ts'

interface SearchWords {
  readonly words: readonly string[]
  readonly agent: readonly string[]
  readonly tool: readonly string[]
  readonly kind: readonly string[]
  readonly folder: readonly string[]
  readonly program: readonly string[]
  readonly since: string | null
  readonly until: string | null
  readonly regex: boolean
  readonly case: boolean
  readonly word: boolean
  readonly archived: boolean
  readonly limit: string | null
  readonly json: boolean
}

interface SearchRoot extends Printing, FindingOptions {
  readonly clock: Pick<Clock, 'now'>
}

const DEFAULT_LIMIT = 50

/** @returns 0 with places, 1 without or after a failure, 2 for a wrong use */
export async function searchCommand(words: SearchWords, root: SearchRoot): Promise<number> {
  const { output, errors, dataFolder } = root
  const asked = queryOf(words, root.clock.now())
  if (!asked.ok) return wrongUse(asked.failure.message, errors)
  const { query, limit } = asked.value
  const found = await findRipgrep()
  if (!found.ok) return failed(root, found.failure.message)
  const logs = createTroupeLogs(dataFolder, ({ message }) => errors.write(`troupe: ${message}\n`))
  const ripgrep = { rgPath: found.value, environment: {}, timeoutMs: 600_000 }
  const lines = printedLines(output)
  let printed = 0
  let total = 0
  let conversations = 0
  let damaged = 0
  const all = [...(await logs.list()), ...(await historiesFor(query.programs, root))]
  const newestFirst = all.sort((one, other) => other.conversation.updatedAt - one.conversation.updatedAt)
  const search = searchLogs(query, newestFirst, { ripgrep, signal: new AbortController().signal })
  for await (const part of search) {
    if (!part.ok) return failed(root, part.failure.message)
    const { hits, counts } = part.value
    ;({ total } = counts)
    ;({ damaged } = part.value)
    conversations += part.value.conversations.length
    const shown = hits.slice(0, limit - printed)
    printed += shown.length
    const text = words.json ? jsonOf(part.value, shown) : textOf(part.value, shown)
    for (const line of text) lines.add(line)
    await lines.pause()
  }
  lines.end()
  if (damaged > 0) errors.write(`troupe: ${damaged} damaged lines of transcripts were left out.\n`)
  if (total === 0 && !words.json) {
    errors.write('troupe: No conversation has this text.\n')
    const others = query.programs.length > 0 ? [] : await unaskedPrograms(root)
    if (others.length > 0)
      errors.write(
        `troupe: ${others.map((program) => searchedNames[program]).join(', ')} ${others.length === 1 ? 'keeps' : 'keep'} conversations here that were not searched. Let Troupe read them with: ${others.map((program) => `--program ${program}`).join(' ')}\n`,
      )
  }
  if (total > printed)
    errors.write(
      `troupe: ${printed} of ${total} places in ${conversations} conversations are printed. Print more with --limit, or narrow the search.\n`,
    )
  return total > 0 ? EXIT.done : EXIT.failed
}

/** Whoever names a program lets Troupe read it, for this command. */
async function historiesFor(
  programs: readonly SearchedProgram[],
  { settings, ...where }: FindingOptions,
): Promise<readonly SearchedLogs[]> {
  const { current } = settings
  const named = Object.fromEntries(programs.map((program) => [program, true]))
  const wanted = programs.length === 0 ? current.histories : named
  const histories = Object.fromEntries(
    Object.entries(wanted).filter(([program]) => current.histories[program as HistoryProgram] !== false),
  )
  return await createSearchedHistories({ ...where, settings: { current: { ...current, histories } } })()
}

function wrongUse(message: string, errors: Printing['errors']): number {
  errors.write(`troupe: ${message}\n`)
  return EXIT.usage
}

function queryOf(
  words: SearchWords,
  now: number,
): Result<{ readonly query: SearchQuery; readonly limit: number }> {
  const { agent: agents, tool: tools, kind, archived } = words
  const wrong = kind.find((one) => !isKind(one))
  if (wrong !== undefined) return usage(`Unknown kind "${wrong}". Use one of: ${searchKinds.join(', ')}.`)
  const unknown = words.program.find((one) => !isProgram(one))
  if (unknown !== undefined)
    return usage(`Unknown program "${unknown}". Use one of: ${searchedPrograms.join(', ')}.`)
  const limit = words.limit === null ? DEFAULT_LIMIT : Number(words.limit)
  if (!Number.isInteger(limit) || limit < 1) return usage(`--limit ${words.limit} is not a number from 1 on.`)
  const since = timeOf(words.since, 'from', now)
  const until = timeOf(words.until, 'to', now)
  if (!since.ok) return since
  if (!until.ok) return until
  const query: SearchQuery = {
    ...plainQuery(words.words.join(' ')),
    ...{ regex: words.regex, matchCase: words.case, wholeWords: words.word },
    ...{ agents, tools, archived, since: since.value, until: until.value },
    kinds: kind.filter(isKind),
    programs: words.program.filter(isProgram),
    folders: words.folder.map((path) => resolve(path)),
  }
  const matcher = textMatcher(query)
  return matcher.ok ? ok({ query, limit }) : matcher
}

const isKind = (word: string): word is SearchKind => (searchKinds as readonly string[]).includes(word)

const isProgram = (word: string): word is SearchedProgram =>
  (searchedPrograms as readonly string[]).includes(word)

function timeOf(text: string | null, bound: keyof NamedTime, now: number): Result<number | null> {
  if (text === null) return ok(null)
  const time = namedTime(text, now)
  return time === null
    ? fail({
        type: 'usage',
        message: `"${oneLine(text, 100)}" is not a time. Use a date like 2026-09-01, today, yesterday, or 12h, 7d, 4w ago.`,
      })
    : ok(time[bound])
}

interface Found {
  readonly conversations: readonly SearchedConversation[]
  readonly agents: readonly SearchedAgent[]
}

function jsonOf({ conversations, agents }: Found, hits: readonly SearchHit[]): readonly string[] {
  const titles = new Map(conversations.map((one) => [one.id, one]))
  const names = new Map(agents.map((one) => [one.id, one]))
  return hits.map((hit) => {
    const { title = '', folder = '', program = 'troupe' } = titles.get(hit.conversationId) ?? {}
    const { name = '', task = '' } = names.get(hit.agentId) ?? {}
    return jsonLine({ ...hit, title, folder, program, agent: name, task }).trimEnd()
  })
}

/** The hits under their conversations and agents. */
function textOf({ conversations, agents }: Found, hits: readonly SearchHit[]): readonly string[] {
  return conversations.flatMap(({ id, title, folder, program }) => {
    const own = hits.filter((hit) => hit.conversationId === id)
    if (own.length === 0) return []
    const name = title === '' ? 'Untitled conversation' : oneLine(title, 100)
    return [
      `${name}  (${program === 'troupe' ? '' : `${searchedNames[program]}, `}${id}, ${oneLine(folder)})`,
      ...agents.flatMap((agent) => {
        const ofAgent = own.filter(({ agentId }) => agentId === agent.id)
        if (agent.conversationId !== id || ofAgent.length === 0) return []
        const head = `  ${agent.name}${agent.task === '' ? '' : `  ${oneLine(agent.task, 80)}`}`
        return [head, ...ofAgent.map(placeLine)]
      }),
      '',
    ]
  })
}

const KIND_WIDTH = Math.max(...searchKinds.map((kind) => kind.length))

function placeLine({ at, kind, tool, line }: SearchHit): string {
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return `    ${time}  ${kind.padEnd(KIND_WIDTH)}  ${tool === null ? '' : `${tool}: `}${oneLine(line)}`
}
