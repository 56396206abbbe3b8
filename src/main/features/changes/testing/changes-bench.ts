/** A journal and its undo on a temporary folder, with the events of one conversation in memory. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type {
  ChangesList,
  ChangesUndone,
  UndoOutcome,
  UndoPreview,
  UndoScope,
} from '../../../../shared/changes/changes.ts'
import {
  type AgentEvent,
  type AgentEventDraft,
  agentEvent,
  EVENT_VERSION,
} from '../../../../shared/events/agent-event.ts'
import { conversationEvent, conversationRecord } from '../../../../shared/events/conversation.ts'
import { CONVERSATION_EVENT_VERSION, type LoggedEvent } from '../../../../shared/events/conversation-event.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { sampleEvent } from '../../../../shared/testing/sample-events.ts'
import { createGit } from '../../../platform/git/git-client.ts'
import type { Changes, ConflictChoices, JournaledCall } from '../../../runtime/ports/changes.ts'
import type { TranscriptStore } from '../../../runtime/ports/transcripts.ts'
import { createChangeJournal, type DiskJournal } from '../change-journal.ts'
import { createChanges } from '../changes-service.ts'

export const CONVERSATION = 'c-1'

export interface ChangesBench {
  readonly folder: string
  readonly data: string
  readonly log: readonly LoggedEvent[]
  readonly changes: Changes
  readonly journal: DiskJournal
  path(name: string): string
  /** Writes a file as the user or as a part of a command; null deletes it. */
  put(name: string, content: string | null): void
  text(name: string): string | null
  git(...args: readonly string[]): string
  say(text: string): number
  /** A Write of an agent. @returns the id of the call */
  write(agentId: string, name: string, content: string): Promise<string>
  /** A command of an agent. @returns the id of the call */
  command(agentId: string, act: () => void | Promise<void>, label?: string): Promise<string>
  begin(agentId: string, label?: string): Promise<() => Promise<string>>
  /** Gives an agent a git worktree, before its first call. @returns its path */
  worktree(agentId: string): string
  /** The commit of the agent's work. */
  saved(agentId: string, head: string): void
  list(): Promise<ChangesList>
  /** The authors of a file’s steps, and the texts after them; first the text before. */
  history(name: string): Promise<readonly (readonly (string | null)[])[]>
  preview(scope: UndoScope, choices?: ConflictChoices): Promise<UndoPreview>
  undo(scope: UndoScope, choices?: ConflictChoices): Promise<UndoOutcome>
  redo(): Promise<UndoOutcome>
  /** All files with their content and mode. */
  files(): Readonly<Record<string, string>>
  /** Waits until no file is so new that its next change might keep its version. */
  settled(): Promise<void>
  /** The git commands of the journal since the last question, by their verb. */
  gitCalls(): readonly string[]
  /** The same conversation in a new process. */
  restarted(): ChangesBench
}

interface BenchOptions {
  readonly repository: boolean
  readonly files?: Readonly<Record<string, string>>
}

export function changesBench({ repository, files = {} }: BenchOptions): ChangesBench {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-changes-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  mkdirSync(join(top, 'home'))
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(top, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  if (repository) {
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
  }
  return benchOn({ top, folder, environment, git, log: [] })
}

interface Ground {
  readonly top: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly git: (...args: readonly string[]) => string
  readonly log: LoggedEvent[]
}

function benchOn(ground: Ground): ChangesBench {
  const { top, folder, environment, git, log } = ground
  const data = join(top, 'data')
  const called: string[] = []
  const ownGit = createGit({ environment })
  const journal = createChangeJournal({
    now: Date.now,
    git: {
      ...ownGit,
      run(at, args, options) {
        called.push(args[0] ?? '')
        return ownGit.run(at, args, options)
      },
      bytes(at, args, options) {
        called.push(args[0] ?? '')
        return ownGit.bytes(at, args, options)
      },
    },
    folderOf: (id) => join(data, id),
  })
  const seqs = new Map<string, number>()
  const next = () => log.length
  const emit = (agentId: string, draft: AgentEventDraft): AgentEvent => {
    const seq = seqs.get(agentId) ?? 0
    seqs.set(agentId, seq + 1)
    const event = agentEvent.parse({
      v: EVENT_VERSION,
      agentId,
      seq,
      order: next(),
      at: Date.now(),
      ...draft,
    })
    log.push(event)
    return event
  }
  const emitOwn = (draft: object) =>
    log.push(
      conversationEvent.parse({
        v: CONVERSATION_EVENT_VERSION,
        conversationId: CONVERSATION,
        seq: next(),
        order: next(),
        at: Date.now(),
        ...draft,
      }),
    )
  const store = {
    read: async () => ok({}),
    readConversation: async function* (_id: string, { from = 0 } = {}) {
      yield ok(log.filter(({ order }) => order >= from))
    },
  } as unknown as TranscriptStore
  const changes = createChanges({
    git: createGit({ environment }),
    store,
    journal,
    folder: data,
    limits: () => ({ days: 30, megabytes: 100 }),
    ...{ now: Date.now, newKey: randomUUID },
    onProblem: (message) => {
      throw new Error(message)
    },
    runtime: {
      recordUndo: async (_id: string, undo: ChangesUndone) => {
        emitOwn({ type: 'changes-undone', ...undo })
        return ok(undefined)
      },
      saved: async () => ok(undefined),
      snapshot: async () => ok({ agents: [] }),
      dispatch: async ({ type }: { type: string }) =>
        ok(type === 'conversation.branch' ? { id: 'c-2' } : undefined),
    } as unknown as Parameters<typeof createChanges>[0]['runtime'],
  })
  if (log.length === 0) {
    const record = conversationRecord.parse({
      v: 1,
      id: CONVERSATION,
      title: 'Test',
      named: false,
      folder,
      mainAgentId: 'main',
      agentIds: ['main'],
      createdAt: 0,
      updatedAt: 0,
      rehearsal: false,
      queued: [],
    })
    const { v: _, id: _id, queued: _queued, ...created } = record
    emitOwn({ type: 'conversation-created', ...created })
  }
  let calls = 0
  const known = new Set(
    log.flatMap((event) => ('agentId' in event && event.type === 'agent-spawned' ? [event.agentId] : [])),
  )
  const roots = new Map<string, string>()
  const rootOf = (agentId: string) => roots.get(agentId) ?? folder
  const worktreeAt = (path: string) => ({
    ...{ id: 'w', path, branch: 'troupe/w', base: '', from: folder, target: 'main', own: true, aliases: [] },
  })
  const meet = (agentId: string) => {
    if (known.has(agentId)) return
    known.add(agentId)
    const {
      v: _,
      agentId: _id,
      seq,
      order,
      at,
      ...spawned
    } = sampleEvent('agent-spawned', {
      conversationId: CONVERSATION,
      parentId: agentId === 'main' ? null : 'main',
      cwd: rootOf(agentId),
      worktree: roots.has(agentId) ? worktreeAt(rootOf(agentId)) : null,
    })
    emit(agentId, spawned)
  }
  async function open(
    agentId: string,
    target: JournaledCall['target'],
    [name, summary]: readonly [string, string],
  ) {
    meet(agentId)
    const toolUseId = `t-${agentId}-${log.length}-${++calls}`
    emit(agentId, {
      type: 'tool-started',
      toolUseId,
      name,
      input: {},
      summary,
      sideEffects: true,
      row: { kind: 'edit', icon: 'file-edit', label: name } as never,
    })
    const opened = must(
      await journal.begin({
        conversationId: CONVERSATION,
        agentId,
        toolUseId,
        root: rootOf(agentId),
        target,
      }),
    )
    return async () => {
      for (const found of await opened.end()) emit(agentId, { type: 'files-changed', ...found })
      return toolUseId
    }
  }
  const path = (name: string) => join(folder, name)
  const put = (name: string, content: string | null) => {
    if (content === null) rmSync(path(name))
    else {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), content)
    }
  }
  const putIn = (agentId: string, name: string, content: string) => {
    const at = join(rootOf(agentId), name)
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, content)
    return at
  }
  const preview: ChangesBench['preview'] = async (scope, choices = {}) =>
    must(await changes.preview({ conversationId: CONVERSATION, scope, choices }))
  return {
    folder,
    data,
    log,
    changes,
    journal,
    path,
    put,
    git,
    preview,
    text: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : null),
    say(text) {
      meet('main')
      return emit('main', {
        type: 'user-message',
        messageId: `m-${log.length}`,
        from: 'user',
        content: [{ type: 'text', text }],
        sender: null,
      }).seq
    },
    async write(agentId, name, content) {
      const path = join(rootOf(agentId), name)
      const end = await open(agentId, { kind: 'file', path }, ['Write', name])
      putIn(agentId, name, content)
      return end()
    },
    begin: (agentId, label = 'make') =>
      open(agentId, { kind: 'folder', path: rootOf(agentId), command: label }, ['Bash', label]),
    worktree(agentId) {
      const path = join(top, `worktree-${agentId}`)
      git('worktree', 'add', '--quiet', '-b', `troupe/${agentId}`, path)
      roots.set(agentId, path)
      return path
    },
    saved(agentId, head) {
      const work = {
        ...{ head, commits: 1, files: 1, insertions: 1, deletions: 0, unchanged: false, problems: [] },
      }
      emit(agentId, { type: 'work-saved', work: { ...work, check: { kind: 'clean' }, committedAs: 'user' } })
    },
    async command(agentId, act, label = 'make') {
      const end = await open(agentId, { kind: 'folder', path: rootOf(agentId), command: label }, [
        'Bash',
        label,
      ])
      await act()
      return end()
    },
    history: async (name) => {
      const history = must(await changes.history({ conversationId: CONVERSATION, path: join(folder, name) }))
      if (history === null) return []
      const steps = history.steps.map(({ agentId, text }) => [agentId ?? 'you', text] as const)
      return [[null, history.first], ...steps]
    },
    list: async () => must(await changes.list({ conversationId: CONVERSATION })),
    async undo(scope, choices = {}) {
      const { version } = await preview(scope, choices)
      return must(
        await changes.undo({ conversationId: CONVERSATION, scope, version, choices, continues: true }),
      )
    },
    async redo() {
      const { version } = must(await changes.previewRedo({ conversationId: CONVERSATION, choices: {} }))
      return must(await changes.redo({ conversationId: CONVERSATION, version, choices: {} }))
    },
    files: () => filesBelow(folder, ''),
    gitCalls: () => called.splice(0),
    async settled() {
      const end = Date.now() + 60
      await vi.waitUntil(() => Date.now() > end, { interval: 5 })
    },
    restarted: () => benchOn(ground),
  }
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}

function filesBelow(top: string, below: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(join(top, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== '.git') Object.assign(found, filesBelow(top, name))
    } else if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(join(top, name))}`
    else
      found[name] =
        `${(lstatSync(join(top, name)).mode & 0o777).toString(8)} ${readFileSync(join(top, name), 'latin1')}`
  }
  return found
}
