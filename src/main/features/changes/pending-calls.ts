/** Calls that may be changing files, stored on disk so that their changes are found after a crash. */

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { fileSide } from '../../../shared/changes/changes.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import type { JournaledCall } from '../../runtime/ports/changes.ts'
import { blobDigest } from './blob-store.ts'
import type { FileState } from './file-states.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'

type PendingContent =
  | { readonly kind: 'file'; readonly path: string; readonly before: FileState }
  | {
      readonly kind: 'folder'
      readonly before: FolderSnapshot
      /** The call stands for everything that an external agent did. */
      readonly follows?: boolean | undefined
      /** When its work began; missing: when this was written. */
      readonly since?: number | undefined
    }

interface PendingCall {
  readonly call: JournaledCall
  readonly content: PendingContent
  /** The time of the file system when the call began, in ms. */
  readonly since: number
}

const state = z.object({
  side: fileSide.nullable(),
  kept: z.enum(['yes', 'too-large', 'ignored', 'unavailable']),
})
const committed = z.object({ mode: z.string(), id: z.string() })
const stored = z.object({
  call: z.object({
    conversationId: z.string(),
    agentId: z.string(),
    toolUseId: z.string(),
    root: z.string(),
    target: z.object({ kind: z.enum(['file', 'folder']), path: z.string() }),
  }),
  content: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), path: z.string(), before: state }),
    z.object({
      kind: z.literal('folder'),
      follows: z.boolean().optional(),
      since: z.number().optional(),
      before: z.object({
        top: z.string(),
        head: z.string().nullable(),
        isRepository: z.boolean(),
        files: z.array(z.tuple([z.string(), state])).transform((entries) => new Map(entries)),
        inHead: z.array(z.tuple([z.string(), committed])).transform((entries) => new Map(entries)),
        ignored: z.array(z.string()),
      }),
    }),
  ]),
})

export class PendingCalls {
  private readonly folder: string
  /** By agent: the files of its calls that have ended. */
  private readonly ended = new Map<string, string[]>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** @returns the time of the file system, in ms */
  async add(call: JournaledCall, content: PendingContent): Promise<number> {
    const path = join(this.folder, nameOf(call))
    const text = JSON.stringify({ call, content }, (_, value) => (value instanceof Map ? [...value] : value))
    // An external agent replaces its file again and again, and may be killed at any time.
    await replaceFile(path, text, { durable: false })
    return (await stat(path)).ctimeMs
  }

  /** The time of the file system, in ms. */
  async now(): Promise<number> {
    const path = join(this.folder, 'now')
    await mkdir(this.folder, { recursive: true })
    await writeFile(path, '')
    return (await stat(path)).ctimeMs
  }

  /** The call has ended. Its file stays until its event is on the disk. */
  end(call: JournaledCall): void {
    const path = join(this.folder, nameOf(call))
    this.ended.set(call.agentId, [...(this.ended.get(call.agentId) ?? []), path])
  }

  /** The events of the agent's ended calls are on the disk. */
  async finished({ agentId }: Pick<JournaledCall, 'agentId'>): Promise<void> {
    const paths = this.ended.get(agentId) ?? []
    this.ended.delete(agentId)
    await Promise.all(paths.map((path) => rm(path, { force: true })))
  }

  /**
   * Reads and deletes the calls of this agent that an earlier process left: exact ones first, then commands, the newest
   * first. Damaged files are only deleted.
   * @returns also the folders in which commands of other agents were running
   */
  async take(agentId: string): Promise<{
    readonly calls: readonly PendingCall[]
    readonly others: readonly { readonly agentId: string; readonly top: string }[]
  }> {
    const calls: PendingCall[] = []
    const others: { agentId: string; top: string }[] = []
    for (const name of await readdir(this.folder).catch(() => [])) {
      const path = join(this.folder, name)
      const found = await readPending(path)
      if (name.startsWith(`${blobDigest(Buffer.from(agentId))}-`)) {
        if (found && !name.endsWith('.tmp')) calls.push(found)
        await rm(path, { force: true })
      } else if (found?.content.kind === 'folder')
        others.push({ agentId: found.call.agentId, top: found.content.before.top })
    }
    const rank = ({ content, since }: PendingCall) =>
      content.kind === 'file' ? Number.POSITIVE_INFINITY : since
    return { calls: calls.sort((one, other) => (rank(one) < rank(other) ? 1 : -1)), others }
  }
}

/** Null: damaged, or gone. */
async function readPending(path: string): Promise<PendingCall | null> {
  const [text, stats] = await Promise.all([
    readFile(path, 'utf8').catch(() => ''),
    stat(path).catch(() => null),
  ])
  const read = stored.safeParse(jsonOrUndefined(text))
  return read.success && stats ? { ...read.data, since: sinceOf(read.data.content) ?? stats.ctimeMs } : null
}

const sinceOf = (content: PendingContent): number | undefined =>
  content.kind === 'folder' ? content.since : undefined

const nameOf = ({ agentId, toolUseId }: JournaledCall): string =>
  `${blobDigest(Buffer.from(agentId))}-${blobDigest(Buffer.from(toolUseId)).slice(0, 32)}.json`
