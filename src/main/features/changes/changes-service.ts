/** The changes of conversations: their list, and their undo and redo. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type ChangesUndone,
  changesUndone,
  type UndoOutcome,
  type UndoPreview,
  type UndoScope,
} from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { exists } from '../../platform/system/exists.ts'
import type { Changes, ConflictChoices } from '../../runtime/ports/changes.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { keepContents, recordOf, undoOutcomeOf, writeFiles } from './apply-undo.ts'
import type { BlobStore } from './blob-store.ts'
import { ChangeFacts, type FactsAgent, type FactsCall, type FactsUndo } from './change-facts.ts'
import type { DiskJournal } from './change-journal.ts'
import { cleanSpaces, sizeOfFolder } from './clean-spaces.ts'
import { fileHistory, fileSidesOf, textOfSides } from './file-history.ts'
import { FileStates, keyOf } from './file-states.ts'
import { inheritedFacts, withInherited } from './inherited-changes.ts'
import { listChanges } from './list-changes.ts'
import { callsInScope, planUndo } from './plan-undo.ts'

interface ChangesDeps {
  readonly git: Git
  readonly store: TranscriptStore
  readonly runtime: Pick<Runtime, 'recordUndo' | 'saved' | 'snapshot' | 'dispatch'>
  readonly journal: DiskJournal
  /** The folder with the kept content of all conversations. */
  readonly folder: string
  /** ms since the epoch. */
  readonly now: () => number
  /** A name that no other undo has. */
  readonly newKey: () => string
  limits(): { readonly days: number; readonly megabytes: number }
  onProblem(message: string): void
}

/** What the caller wants to undo or redo. */
interface Wanted {
  readonly calls: readonly FactsCall[]
  readonly scope: UndoScope
  readonly redoOf: FactsUndo | null
  readonly choices: ConflictChoices
}

export function createChanges(deps: ChangesDeps): Changes {
  const { store, runtime, journal } = deps
  const lock = new KeyedLock()
  const read = new Map<string, ChangeFacts>()

  async function factsOf(conversationId: string): Promise<Result<ChangeFacts>> {
    const saved = await runtime.saved(conversationId)
    if (!saved.ok) return saved
    const facts = read.get(conversationId) ?? new ChangeFacts()
    const range = facts.lastOrder === -1 ? {} : { from: facts.lastOrder + 1 }
    for await (const batch of store.readConversation(conversationId, range)) {
      if (!batch.ok) return batch
      for (const event of batch.value) facts.apply(event)
    }
    read.set(conversationId, facts)
    const recovered = await recoverUndo(conversationId, facts)
    return recovered.ok ? ok(facts) : recovered
  }

  const spaceOf = (conversationId: string) => journal.blobsOf(conversationId)
  const intentOf = (blobs: BlobStore) => join(blobs.folder, 'undo.json')

  /** Records the files that an undo wrote before a crash cut it off. */
  async function recoverUndo(conversationId: string, facts: ChangeFacts): Promise<Result<void>> {
    const blobs = spaceOf(conversationId)
    const text = await readFile(intentOf(blobs), 'utf8').catch(() => null)
    if (text === null) return ok(undefined)
    const intent = undoIntent.safeParse(jsonOrUndefined(text))
    if (intent.success && !facts.undos.some(({ undoId }) => undoId === intent.data.undoId)) {
      const states = new FileStates(blobs)
      const done: ChangesUndone['files'] = []
      for (const file of intent.data.files)
        if (keyOf((await states.read(file.path)).side) === keyOf(file.after)) done.push(file)
      const paths = new Set(done.map(({ path }) => path))
      const changes = intent.data.changes.filter(({ path }) => paths.has(path))
      if (changes.length > 0) {
        const recorded = await runtime.recordUndo(conversationId, { ...intent.data, changes, files: done })
        if (!recorded.ok) return recorded
      }
    }
    await rm(intentOf(blobs), { force: true })
    return intent.success ? factsAgain(conversationId, facts) : ok(undefined)
  }

  async function factsAgain(conversationId: string, facts: ChangeFacts): Promise<Result<void>> {
    const saved = await runtime.saved(conversationId)
    if (!saved.ok) return saved
    for await (const batch of store.readConversation(conversationId, { from: facts.lastOrder + 1 })) {
      if (!batch.ok) return batch
      for (const event of batch.value) facts.apply(event)
    }
    return ok(undefined)
  }

  const plan = async (conversationId: string, facts: ChangeFacts, { calls, redoOf, choices }: Wanted) =>
    planUndo(
      { facts, blobs: spaceOf(conversationId), cannot: await obstacles(facts), now: deps.now },
      { calls, redo: redoOf !== null, choices },
    )

  function wantedUndo(facts: ChangeFacts, scope: UndoScope, choices: ConflictChoices): Result<Wanted> {
    const calls = callsInScope(facts, scope)
    const isMessage = scope.kind === 'message' && facts.messages.some(({ seq }) => seq === scope.seq)
    return calls.length === 0 && !isMessage ? fail(nothing) : ok({ calls, scope, redoOf: null, choices })
  }

  function wantedRedo(facts: ChangeFacts, choices: ConflictChoices): Result<Wanted> {
    const undo = facts.redoable
    if (undo === null) return fail(nothingToRedo)
    const keys = new Set(undo.changes.map(keyText))
    const calls = facts.calls
      .map((call) => ({
        ...call,
        files: call.files.filter(({ path }) => keys.has(keyText({ ...call, path }))),
      }))
      .filter(({ files }) => files.length > 0)
    return ok({ calls, scope: undo.scope, redoOf: undo, choices })
  }

  async function preview(
    conversationId: string,
    facts: ChangeFacts,
    wanted: Wanted,
  ): Promise<Result<UndoPreview>> {
    const { version, files, calls } = await plan(conversationId, facts, wanted)
    const { scope, redoOf } = wanted
    const message = scope.kind === 'message' ? facts.messages.find(({ seq }) => seq === scope.seq) : undefined
    const continues = redoOf === null && message !== undefined
    return ok({
      scope,
      redoOf: redoOf?.undoId ?? null,
      version,
      files: files.map((file) => file.preview),
      notUndone: calls.flatMap(({ label, ignored, note }) => {
        const reasons = [ignored > 0 ? `${ignored} other files stay as they are.` : '', note]
        const reason = reasons.filter((text) => text !== '').join(' ')
        return reason === '' ? [] : [{ label, reason }]
      }),
      messages: continues ? facts.messages.filter(({ order }) => order >= message.order).length : 0,
      stops: continues ? await runningAgents(conversationId) : [],
      messageText: continues ? message.text : '',
    })
  }

  async function runningAgents(conversationId: string): Promise<UndoPreview['stops']> {
    const snapshot = await runtime.snapshot(conversationId)
    if (!snapshot.ok) return []
    return snapshot.value.agents
      .filter(({ status }) => ['queued', 'running', 'paused'].includes(status))
      .map(({ id, name, definition, parentId }) => ({
        agentId: id,
        name: parentId === null ? 'Main agent' : (name ?? definition.name),
      }))
  }

  async function apply(
    conversationId: string,
    facts: ChangeFacts,
    { wanted, version }: { readonly wanted: Wanted; readonly version: string },
  ): Promise<Result<Omit<UndoOutcome, 'conversationId'>>> {
    const planned = await plan(conversationId, facts, wanted)
    if (planned.version !== version) return fail(moved)
    const blobs = spaceOf(conversationId)
    const doable = planned.files.filter(
      ({ preview: { action, conflict } }) => action !== 'impossible' && conflict?.choice !== 'leave',
    )
    const toWrite = doable.filter(({ now, next }) => keyOf(now) !== keyOf(next))
    const undoId = deps.newKey()
    const head = { undoId, scope: wanted.scope, redoOf: wanted.redoOf?.undoId ?? null }
    if (doable.length === 0) return ok(undoOutcomeOf(undoId, planned, { doable: [], failures: new Map() }))
    try {
      await keepContents(toWrite, blobs)
      await replaceFile(intentOf(blobs), JSON.stringify({ ...head, ...recordOf(doable) }), { durable: true })
    } catch (error) {
      return fail({ type: 'io', message: `Nothing was changed: ${messageOf(error)}`, cause: error })
    }
    const written = await writeFiles(toWrite, blobs)
    const failures = new Map(
      written.flatMap(({ file, failure }) =>
        failure === null ? [] : [[file.preview.path, failure] as const],
      ),
    )
    const done = doable.filter(({ preview: { path } }) => !failures.has(path))
    journal.wrote(
      conversationId,
      done.map(({ preview: { path }, next }) => ({ path, side: next })),
    )
    if (done.length > 0) {
      const recorded = await runtime.recordUndo(conversationId, { ...head, ...recordOf(done) })
      if (!recorded.ok) return recorded
    }
    await rm(intentOf(blobs), { force: true })
    return ok(undoOutcomeOf(undoId, planned, { doable: done, failures }))
  }

  /** Starts a conversation that continues from before the message. */
  async function branchBefore(conversationId: string, seq: number): Promise<Result<string>> {
    const branched = await runtime.dispatch({
      type: 'conversation.branch',
      conversationId,
      seq,
      content: null,
      before: true,
    })
    return branched.ok ? ok(branched.value.id) : branched
  }

  return {
    async list({ conversationId }) {
      const facts = await factsOf(conversationId)
      if (!facts.ok) return facts
      const blobs = spaceOf(conversationId)
      const stateOf = (agent: FactsAgent) => worktreeState(deps.git, agent, facts.value)
      const listed = await listChanges(facts.value, {
        conversationId,
        states: new FileStates(blobs),
        kept: { days: deps.limits().days, bytes: await sizeOfFolder(blobs.folder) },
        worktreeState: stateOf,
        cannot: await obstacles(facts.value),
        now: deps.now,
      })
      const inherited = await inheritedFacts({ conversationId, facts: facts.value }, store)
      return ok(await withInherited(listed, inherited, stateOf))
    },
    async file(question) {
      const { conversationId } = question
      const facts = await factsOf(conversationId)
      if (!facts.ok) return facts
      const own = fileSidesOf(facts.value, question)
      if (own) return ok(await textOfSides(spaceOf(conversationId), own.before, own.after))
      // A branch shows the changes of its originals.
      for (const original of await inheritedFacts({ conversationId, facts: facts.value }, store)) {
        const sides = fileSidesOf(original.facts, question)
        if (sides) return ok(await textOfSides(spaceOf(original.conversationId), sides.before, sides.after))
      }
      return fail(nothing)
    },
    async history({ conversationId, path }) {
      const facts = await factsOf(conversationId)
      return facts.ok
        ? ok(await fileHistory(facts.value, path, { blobs: spaceOf(conversationId), now: deps.now }))
        : facts
    },
    async preview({ conversationId, scope, choices }) {
      const facts = await factsOf(conversationId)
      if (!facts.ok) return facts
      const wanted = wantedUndo(facts.value, scope, choices)
      return wanted.ok ? preview(conversationId, facts.value, wanted.value) : wanted
    },
    async previewRedo({ conversationId, choices }) {
      const facts = await factsOf(conversationId)
      if (!facts.ok) return facts
      const wanted = wantedRedo(facts.value, choices)
      return wanted.ok ? preview(conversationId, facts.value, wanted.value) : wanted
    },
    undo: ({ conversationId, scope, version, choices, continues }) =>
      lock.withLock(conversationId, async () => {
        // No file is written if the undo can't be recorded.
        const opened = await runtime.saved(conversationId, { writing: true })
        if (!opened.ok) return opened
        const goesOn = scope.kind === 'message' && continues
        if (goesOn) {
          const stopped = await runtime.dispatch({ type: 'conversation.stop', conversationId })
          if (!stopped.ok) return stopped
        }
        const facts = await factsOf(conversationId)
        if (!facts.ok) return facts
        const wanted = wantedUndo(facts.value, scope, choices)
        if (!wanted.ok) return wanted
        const done = await apply(conversationId, facts.value, { wanted: wanted.value, version })
        if (!done.ok) return done
        if (!goesOn) return ok({ ...done.value, conversationId: null })
        const branched = await branchBefore(conversationId, scope.seq)
        if (branched.ok) return ok({ ...done.value, conversationId: branched.value })
        const reason = `The files were changed back, but the conversation could not be continued: ${branched.failure.message}`
        return ok({ ...done.value, conversationId: null, left: [...done.value.left, { shown: '', reason }] })
      }),
    redo: ({ conversationId, version, choices }) =>
      lock.withLock(conversationId, async () => {
        const opened = await runtime.saved(conversationId, { writing: true })
        if (!opened.ok) return opened
        const facts = await factsOf(conversationId)
        if (!facts.ok) return facts
        const wanted = wantedRedo(facts.value, choices)
        if (!wanted.ok) return wanted
        const done = await apply(conversationId, facts.value, { wanted: wanted.value, version })
        return done.ok ? ok({ ...done.value, conversationId: null }) : done
      }),
    async changedSince(conversationId, since) {
      const facts = await factsOf(conversationId)
      if (!facts.ok) return facts
      const calls = facts.value.calls.filter(({ cause, at }) => cause !== 'user' && at >= since)
      return ok(new Set(calls.flatMap(({ files }) => files.map(({ shown }) => shown))))
    },
    space: async () => ok({ bytes: await sizeOfFolder(deps.folder) }),
    clean: () =>
      cleanSpaces(deps.folder, deps.limits()).catch((error: unknown) =>
        deps.onProblem(`Old content of changed files could not be deleted: ${messageOf(error)}`),
      ),
  }
}

const undoIntent = z.object(changesUndone)

const nothing = {
  type: 'not-found',
  message: 'No changes of agents are recorded here. Choose another file, agent or message.',
} as const
const nothingToRedo = { type: 'not-found', message: 'There is no undo that could be taken back.' } as const
const moved = {
  type: 'moved',
  message: 'Files changed since the preview. Nothing was undone. Look at the new preview.',
} as const

/**
 * Why a change can't be undone; null: it can. Merges are undone with git's history, which Review does.
 */
async function obstacles(facts: ChangeFacts): Promise<(call: FactsCall) => string | null> {
  const gone = new Set<string>()
  for (const { id, worktree } of facts.agents.values())
    if (worktree !== null && !(await exists(worktree))) gone.add(id)
  return ({ agentId, tool, isElsewhere }) => {
    if (isElsewhere) return 'This agent works on another machine. Review takes back its work.'
    if (tool === 'MergeWorktree') return 'This merged a worktree. Review undoes a merge.'
    return gone.has(agentId)
      ? 'The worktree of this agent was merged or removed. Review undoes a merge.'
      : null
  }
}

/** `merged`: the last commit of the worktree is in the commit of the conversation's folder. */
async function worktreeState(
  git: Git,
  { worktree, head }: FactsAgent,
  { folder }: ChangeFacts,
): Promise<'present' | 'merged' | 'gone'> {
  if (worktree === null || (await exists(worktree))) return 'present'
  if (head === null) return 'gone'
  const merged = await git.answers(folder, ['merge-base', '--is-ancestor', head, 'HEAD'], {
    accepts: [1, 128],
  })
  return merged.ok && merged.value.code === 0 ? 'merged' : 'gone'
}
