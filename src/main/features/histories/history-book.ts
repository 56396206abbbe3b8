/**
 * The events of a conversation that another program wrote, as they go into the cache: one transcript for each agent, and
 * the record of the conversation. They are numbered by time, and not by the order in which files were read, so that the
 * same files always give the same events.
 */
import { createHash } from 'node:crypto'
import { appendFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type AgentEvent, type AgentState, EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { eventsOfRecord } from '../../../shared/events/conversation-event.ts'
import type { HistoryProgram } from '../../../shared/histories/history.ts'
import { foldAgent } from '../../../shared/state/agent-state.ts'
import { noTeams } from '../../../shared/teams/team.ts'
import { FILE_MODE, makeFolders, replaceFile } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { DataPaths } from '../../platform/transcripts/data-paths.ts'
import { agentLogKind } from '../../platform/transcripts/log-kind.ts'
import { encodeLine, LINE_END_LENGTH } from '../../platform/transcripts/log-line.ts'
import { writeSnapshot } from '../../platform/transcripts/state-snapshot.ts'
import { HistoryAgent } from './history-agent.ts'
import { type Breathe, type JsonObject, objectOfLine, wholeLines } from './history-lines.ts'
import { historyAgentId } from './history-parts.ts'
import type { AgentFacts, AgentFile, SpawnFacts } from './history-said.ts'

interface BookOptions {
  readonly conversationId: string
  readonly program: HistoryProgram
  /** Of the cache. */
  readonly paths: DataPaths
  readonly breathe: Breathe
  /** Ends the work: then `read` and `settle` throw. */
  readonly signal?: AbortSignal
  /** Told how many more bytes of lines were read. */
  readonly onRead?: (bytes: number) => void
  /** Takes each event in place of the files; missing: they are written. */
  readonly take?: (event: AgentEvent) => void
}

/** Characters of events in memory beyond which they are written. */
const MOST_IN_MEMORY = 4 * 1024 * 1024
/** Agents of a conversation. The lines of further ones are left out. */
const MOST_AGENTS = 1000
/** Kinds of parts that were left out, as the conversation names them. */
const MOST_PARTS = 20
/** Characters of a tool's output beyond which the transcript has its beginning and its end only. */
const LARGE = 16 * 1024
const SHOWN = 4000

export class HistoryBook {
  readonly breathe: Breathe
  readonly program: HistoryProgram
  private readonly options: BookOptions
  private readonly pages = new Map<string, Page>()
  private readonly skipped = new Map<string, number>()
  private readonly draft = `.${draftMark()}.tmp`
  private readonly jobs: (() => Promise<unknown>)[] = []
  private inMemory = 0
  private startedAt: number | null = null

  constructor(options: BookOptions) {
    this.options = options
    this.breathe = options.breathe
    this.program = options.program
  }

  /** The agent under a key of the program; the main agent has the key ''. Null: there are too many agents. */
  agent(key: string, facts: () => AgentFacts): HistoryAgent | null {
    const known = this.pages.get(key)
    if (known) return known.agent
    if (this.pages.size >= MOST_AGENTS) {
      this.skip(`Lines of agents beyond the first ${MOST_AGENTS}`)
      return null
    }
    const { conversationId, program, take } = this.options
    const { at: begunAt, cwd, model = '', startedBy, ...told } = facts()
    this.startedAt ??= begunAt
    const isMain = key === ''
    const spawn: SpawnFacts = {
      ...{ at: begunAt, cwd, model, type: isMain ? 'main' : told.type || 'agent' },
      ...{ task: isMain ? '' : (told.task ?? ''), background: !isMain && told.background === true },
      parentToolUseId: isMain ? null : (startedBy?.toolUseId ?? null),
    }
    const mark = digest(key)
    const page: Page = { lines: [], bytes: 0, lineEnd: '', state: null, agent: null as never }
    const parent = isMain ? null : (this.pages.get(startedBy?.parentKey ?? '')?.agent ?? null)
    const agent = new HistoryAgent({
      ...{ conversationId, program, spawn },
      agentId: historyAgentId(conversationId, key),
      parent: parent && { id: parent.id, depth: parent.depth },
      emit: (draft, { at, ...place }) => {
        const slot = Math.max(place.slot + 1, at - (this.startedAt ?? 0))
        const order = slot * AGENTS_IN_A_MS + (isMain ? 1 : 2 + (mark % (AGENTS_IN_A_MS - 2)))
        const event = {
          v: EVENT_VERSION,
          agentId: agent.id,
          seq: place.seq,
          order,
          at,
          ...draft,
        } as AgentEvent
        if (take !== undefined) {
          take(event)
          return slot
        }
        page.state = foldAgent(page.state, event)
        const line = encodeLine(event)
        page.lines.push(line)
        this.inMemory += line.length
        return slot
      },
      output: (toolUseId, text) => this.output(agent.id, toolUseId, text),
    })
    page.agent = agent
    this.pages.set(key, page)
    agent.begin()
    return agent
  }

  /** The agents so far, with their keys. */
  agents(): readonly (readonly [string, HistoryAgent])[] {
    return [...this.pages].map(([key, { agent }]) => [key, agent])
  }

  /** Reads the files of all agents. One of a subagent that can't be read is left out. */
  async each(files: Iterable<AgentFile>, read: (file: AgentFile) => Promise<void>): Promise<void> {
    for (const file of files)
      await read(file).catch((error: unknown) => {
        if (file.key === '') throw error
        this.skip(`Subagents that can’t be read (${codeOf(error) || 'error'})`)
      })
  }

  /** Gives the object of each line of a file. Throws the error of the system. */
  async read(path: string, take: (value: JsonObject) => void): Promise<void> {
    let before = 0
    for await (const { lines, tooLong, end } of wholeLines(path, { breathe: this.breathe })) {
      this.options.onRead?.(end - before)
      before = end
      if (tooLong > 0) this.skip('Lines that are too long', tooLong)
      for (const line of lines) {
        const value = line.length === 0 ? undefined : objectOfLine(line)
        if (value === null) this.skip('Lines that are no JSON')
        else if (value !== undefined) take(value)
        const wait = this.breathe()
        if (wait) await wait
      }
      await this.settle()
    }
  }

  /** Counts what is left out. `what`: a plural that begins a sentence, such as “Lines that are no JSON”. */
  skip(what: string, count = 1): void {
    this.skipped.set(what, (this.skipped.get(what) ?? 0) + count)
  }

  /** Copies a file that the program kept beside the conversation into the cache, when the book is closed. */
  copyOutput(agentId: string, toolUseId: string, copy: (to: string) => Promise<void>): string {
    const path = this.options.paths.toolOutput(agentId, toolUseId)
    if (this.options.take === undefined)
      this.jobs.push(async () => {
        await makeFolders(dirname(path))
        await copy(path).catch(() => undefined)
      })
    return `tasks/${agentId}/tool-results/${toolUseId}.txt`
  }

  /** Writes what is in memory, if that is much. */
  async settle(): Promise<void> {
    this.options.signal?.throwIfAborted()
    if (this.inMemory > MOST_IN_MEMORY) await this.write()
    await this.breathe()
  }

  /** Writes the rest, and makes the conversation readable at once. */
  async close(facts: {
    readonly title: string
    readonly folder: string
    readonly updatedAt: number
    readonly source: string
    readonly stamp: string
  }): Promise<void> {
    const { conversationId, paths, program } = this.options
    const { source, stamp, updatedAt, ...shown } = facts
    // Perhaps nothing was readable.
    const main = this.agent('', () => ({ at: updatedAt, cwd: facts.folder }))
    this.finish()
    await this.write()
    for (const { agent, bytes, lineEnd, state } of this.pages.values()) {
      const log = paths.agentLog(agent.id)
      await rename(`${log.log}${this.draft}`, log.log)
      if (state) await writeSnapshot(log.snapshot, { state, bytes, lineEnd }, agentLogKind)
      await this.breathe()
    }
    const record: ConversationRecord = {
      ...{ v: 1, id: conversationId, ...shown, named: true, mainAgentId: main?.id ?? '' },
      agentIds: [...this.pages.values()].map(({ agent }) => agent.id),
      createdAt: this.startedAt ?? updatedAt,
      updatedAt,
      ...{ rehearsal: false, scratch: false, queued: [], limits: null, ...noTeams, coordinator: false },
      ...{ pinned: false, archived: false, outcome: null },
      history: { program, source, stamp, leftOut: this.leftOut() },
    }
    const { log, snapshot } = paths.conversationLog(conversationId)
    await rm(snapshot, { force: true })
    await replaceFile(log, eventsOfRecord(record, 1).map(encodeLine).join(''), {
      durable: false,
      draft: `${log}${this.draft}`,
    })
  }

  /** Nothing more is known of any agent. */
  finish(): void {
    for (const { agent } of this.pages.values()) agent.finish()
  }

  /** Removes what was written so far. */
  async abandon(): Promise<void> {
    for (const { agent } of this.pages.values())
      await rm(`${this.options.paths.agentLog(agent.id).log}${this.draft}`, { force: true })
  }

  private leftOut(): string[] {
    const parts = [...this.skipped].map(([what, count]) => `${what}: ${count.toLocaleString('en')}.`)
    const more = parts.length - MOST_PARTS
    return more > 0 ? [...parts.slice(0, MOST_PARTS), `Other kinds of lines: ${more}.`] : parts
  }

  private output(agentId: string, toolUseId: string, text: string) {
    if (text.length <= LARGE || this.options.take !== undefined) return null
    const bytes = Buffer.byteLength(text)
    const path = this.copyOutput(agentId, toolUseId, (to) =>
      replaceFile(to, text, { durable: false, draft: `${to}${this.draft}` }),
    )
    this.inMemory += text.length
    return { content: shownOf(text), outputFile: { path, bytes } }
  }

  private async write(): Promise<void> {
    const jobs = this.jobs.splice(0)
    for (const job of jobs) await job()
    for (const page of this.pages.values()) {
      if (page.lines.length === 0) continue
      const text = page.lines.join('')
      page.lines = []
      const file = `${this.options.paths.agentLog(page.agent.id).log}${this.draft}`
      if (page.bytes === 0) await makeFolders(dirname(file))
      await appendFile(file, text, { mode: FILE_MODE })
      page.bytes += Buffer.byteLength(text)
      page.lineEnd = text.slice(-LINE_END_LENGTH)
      await this.breathe()
    }
    this.inMemory = 0
  }
}

interface Page {
  lines: string[]
  bytes: number
  lineEnd: string
  state: AgentState | null
  agent: HistoryAgent
}

/** Agents that can have an event in the same millisecond without the same number. */
const AGENTS_IN_A_MS = 1024

const digest = (key: string): number =>
  Number.parseInt(createHash('sha256').update(key).digest('hex').slice(0, 8), 16)

const shownOf = (text: string): string =>
  `${text.slice(0, SHOWN)}\n\n[${(text.length - 2 * SHOWN).toLocaleString('en')} characters are not shown here]\n\n${text.slice(-SHOWN)}`
