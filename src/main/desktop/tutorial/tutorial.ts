/**
 * The tutorial: a conversation on a copy of the sample project whose model is a script. Which steps are done is folded from
 * the conversation's logs and the merges of its worktrees; a small file keeps which conversation it is.
 */
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import {
  completedSteps,
  emptyTutorial,
  foldTutorial,
  TUTORIAL_AGENT,
  TUTORIAL_STEPS,
  type TutorialFact,
  type TutorialFold,
  type TutorialState,
} from '../../../shared/tutorial/tutorial.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { Log } from '../log.ts'
import type { Program } from '../services.ts'

interface TutorialOptions {
  /** Keeps which conversation is the tutorial. */
  readonly file: string
  readonly program: () => Promise<Pick<Program, 'runtime' | 'store' | 'review' | 'handlers'>>
  /** Makes a fresh copy of the sample project. @returns its folder */
  readonly copySample: () => Promise<Result<string>>
  readonly push: (state: TutorialState | null) => void
  /** Ends this process at once, without closing anything. */
  readonly kill: () => void
  readonly log: Log
}

export interface Tutorial {
  readonly handlers: HandlersOf<'tutorial'>
  onDelta(delta: RuntimeDelta): void
  /** A worktree was merged in this folder. It may be removed before the next list of worktrees. */
  onMerged(folder: string): void
  /** Takes the worktrees of a repository, whose merges count. */
  onWorktrees(worktrees: readonly ReviewWorktree[]): void
}

const step = z.enum(TUTORIAL_STEPS)
const kept = z.object({
  conversationId: z.string(),
  folder: z.string(),
  /** Done steps whose proof may go: a merged worktree can be removed. */
  done: z.array(step),
  skipped: z.array(step),
  isLeft: z.boolean(),
})
type Kept = z.infer<typeof kept>

export function createTutorial(options: TutorialOptions): Tutorial {
  const { file, program, log } = options
  let now: { kept: Kept; fold: TutorialFold; hasGit: boolean } | null = null
  let loading: Promise<void> | null = null

  const state = (): TutorialState | null => {
    if (now === null) return null
    const { conversationId, folder, isLeft, ...steps } = now.kept
    const proven = completedSteps(now.fold)
    const done = TUTORIAL_STEPS.filter((one) => proven.includes(one) || steps.done.includes(one))
    const skipped = steps.skipped.filter((one) => !done.includes(one))
    return { conversationId, folder, done, skipped, isLeft, hasGit: now.hasGit }
  }

  let saving: Promise<void> = Promise.resolve()
  const save = (): Promise<void> => {
    saving = saving.then(write)
    return saving
  }
  /** A file that can't be written loses what the next start would know, and nothing now. */
  const write = async (): Promise<void> => {
    const shown = state()
    if (now === null || shown === null) return
    now.kept = { ...now.kept, done: [...shown.done], skipped: [...shown.skipped] }
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(`${file}.new`, JSON.stringify(now.kept))
      await rename(`${file}.new`, file)
    } catch (error) {
      log.error('The tutorial’s progress could not be saved', error)
    }
  }
  const changed = async (): Promise<TutorialState | null> => {
    options.push(state())
    await save()
    return state()
  }

  const take = (facts: readonly TutorialFact[]): void => {
    if (now === null) return
    const before = completedSteps(now.fold).length
    now.fold = facts.reduce(foldTutorial, now.fold)
    if (completedSteps(now.fold).length > before) void changed()
  }

  const follow = async (next: Kept): Promise<void> => {
    now = { kept: next, fold: emptyTutorial, hasGit: await exists(join(next.folder, '.git')) }
    const { store, review } = await program()
    for await (const batch of store.readConversation(next.conversationId)) if (batch.ok) take(batch.value)
    if (now.hasGit) onWorktrees((await review.list(next.folder, { thorough: false })).worktrees)
  }

  const load = async (): Promise<void> => {
    const found = kept.safeParse(await readJson(file))
    if (!found.success) return
    const { store } = await program()
    // Its conversation may be in the trash, and its folder deleted.
    const record = await store.read(found.data.conversationId)
    if (record.ok && (await exists(found.data.folder))) await follow(found.data)
  }
  const loaded = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => log.error('Reading the tutorial failed', error))
    return loading
  }

  const onWorktrees = (worktrees: readonly ReviewWorktree[]): void => {
    const own = worktrees.filter(({ conversationId }) => conversationId === now?.kept.conversationId)
    if (own.some(({ merged }) => merged !== null)) take([{ type: 'worktree-merged' }])
  }

  const begin = async (): Promise<Result<TutorialState>> => {
    const copied = await options.copySample()
    if (!copied.ok) return copied
    const folder = copied.value
    const { handlers, runtime } = await program()
    // The sample's content is part of the program.
    const trusted = await handlers['folder.trust']({ path: folder, trusted: true })
    if (!trusted.ok) return trusted
    const created = await runtime.dispatch({
      type: 'conversation.create',
      folder,
      agent: TUTORIAL_AGENT,
      coordinator: false,
      permissionMode: 'default',
    })
    if (!created.ok) return created
    const { id: conversationId } = created.value
    await runtime.dispatch({ type: 'conversation.rename', conversationId, title: 'Tutorial' })
    await follow({ conversationId, folder: created.value.folder, done: [], skipped: [], isLeft: false })
    const begun = await changed()
    return begun === null
      ? fail({ type: 'gone', message: 'The tutorial’s folder is gone. Start it again.' })
      : ok(begun)
  }

  const change = async (edit: (kept: Kept) => Partial<Kept>): Promise<Result<TutorialState | null>> => {
    await loaded()
    if (now !== null) now.kept = { ...now.kept, ...edit(now.kept) }
    return ok(await changed())
  }

  let starting: Promise<Result<TutorialState>> | null = null
  const start = async (again: boolean): Promise<Result<TutorialState>> => {
    await loaded()
    if (now !== null && !again) {
      const { store } = await program()
      const record = await store.read(now.kept.conversationId)
      if (record.ok && (await exists(now.kept.folder))) {
        const resumed = await change(() => ({ isLeft: false }))
        if (resumed.ok && resumed.value !== null) return ok(resumed.value)
      }
    }
    try {
      return await begin()
    } catch (error) {
      return fail({
        type: 'no-tutorial',
        message: `The tutorial could not start: ${sentence(messageOf(error))}`,
      })
    }
  }

  return {
    onMerged(folder) {
      if (folder === now?.kept.folder) take([{ type: 'worktree-merged' }])
    },
    onWorktrees,
    onDelta(delta) {
      const id = now?.kept.conversationId
      if (delta.type === 'conversation-gone' && delta.conversationId === id) {
        now = null
        options.push(null)
      }
      if ((delta.type === 'event' || delta.type === 'conversation-event') && delta.conversationId === id)
        take([delta.event])
    },
    handlers: {
      'tutorial.state': async () => {
        await loaded()
        return ok(state())
      },
      // A second press during the start gets the same tutorial.
      'tutorial.start': ({ again }) => {
        starting ??= start(again).finally(() => {
          starting = null
        })
        return starting
      },
      'tutorial.skip': ({ step }) => change(({ skipped }) => ({ skipped: [...skipped, step] })),
      'tutorial.leave': () => change(() => ({ isLeft: true })),
      'tutorial.endProgram': async () => {
        await loaded()
        if (now === null)
          return fail({ type: 'not-found', message: 'No tutorial is open, so nothing was ended.' })
        options.kill()
        return ok(undefined)
      },
    },
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}
