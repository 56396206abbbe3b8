/** Composes the sharing of conversations: previews, files, and the way back in. */

import { join } from 'node:path'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import type { Imported, SharePreview } from '../../../shared/sharing/sharing.ts'
import type { ProgramLaunch } from '../../platform/launch-options.ts'
import type { Platform } from '../../platform/platform.ts'
import { secretValues } from '../../platform/shell/command-environment.ts'
import type { Ids } from '../../runtime/ports/ports.ts'
import { importConversation } from './import-conversation.ts'
import { previewShare, type Share, type SharingDeps, sendShare, shareChunks } from './share-conversation.ts'
import type { Sharing } from './shared-conversation.ts'
import { printChunks, type Watch, writeFileOf } from './write-chunks.ts'

export interface SharingService {
  /** What the file would have in it. Reads the whole conversation. */
  preview(share: Share, watch: Watch): Promise<Result<SharePreview>>
  /** Writes the file. Fails with `exists` unless `force`, and with `canceled`. @returns bytes */
  write(share: Share, to: Watch & { readonly path: string; readonly force: boolean }): Promise<Result<number>>
  /** Gives the content to `print`, piece by piece. @returns bytes */
  print(
    share: Share,
    to: Watch & { readonly print: (bytes: Uint8Array) => Promise<void> },
  ): Promise<Result<number>>
  /** Sends its spans to a receiver of OpenTelemetry. Fails with `not-sent`. @returns their number */
  send(share: Sharing, to: Watch & { readonly url: URL }): Promise<Result<number>>
  /** Makes a conversation from a JSON Lines file. @param file absolute */
  import(file: string): Promise<Result<Imported>>
}

interface Options {
  readonly ids: Ids
  /** The program's. */
  readonly version: string
  readonly launch: Pick<ProgramLaunch, 'environment' | 'forCommands' | 'keys'>
  readonly access: () => ModelAccess
  /** Variables that external agents get: the keys that the user stored are among them. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function composeSharing(
  { store, home, programFolder }: Platform,
  { ids, version, launch, access, variables }: Options,
): SharingService {
  const deps: SharingDeps = {
    ...{ store, home, version },
    pageFile: join(programFolder, 'out', 'shared-page.html'),
    secrets: () => [
      ...(launch.keys ?? []),
      ...keysOf(access()),
      ...secretValues({ ...launch.environment, ...launch.forCommands?.exported, ...variables }),
      ...secretValues(launch.forCommands?.ofSettings ?? {}),
    ],
  }
  return {
    preview: (share, watch) => previewShare(share, { ...deps, ...watch }),
    async write(share, to) {
      const chunks = await shareChunks(share, { ...deps, ...to })
      return chunks.ok ? writeFileOf(chunks.value, to) : chunks
    },
    async print(share, to) {
      const chunks = await shareChunks(share, { ...deps, ...to })
      return chunks.ok ? printChunks(chunks.value, to) : chunks
    },
    send: (share, to) => sendShare(share, { ...deps, ...to }),
    import: (file) => importConversation(file, { store, ids, home }),
  }
}

/**
 * What the window asks for: one work for each conversation, which a newer one ends. The window asks how far it is, and can
 * cancel it.
 */
export function sharingForWindow(sharing: Omit<SharingService, 'print'>) {
  const { preview, write, send } = sharing
  const works = new Map<string, { readonly ending: AbortController; part: number }>()
  async function follow<T>(id: string, work: (watch: Watch) => Promise<Result<T>>): Promise<Result<T>> {
    works.get(id)?.ending.abort()
    const own = { ending: new AbortController(), part: 0 }
    works.set(id, own)
    const onRead = (part: number) => {
      own.part = part
    }
    try {
      return await work({ signal: own.ending.signal, onRead })
    } finally {
      if (works.get(id) === own) works.delete(id)
    }
  }
  return {
    preview: (share: Share) => follow(share.conversationId, (watch) => preview(share, watch)),
    /** Writes a file that the user chose in the system's dialog. @param path absolute @returns bytes */
    save: (share: Share, path: string) =>
      follow(share.conversationId, (watch) => write(share, { ...watch, path, force: true })),
    /** Sends the spans to a receiver that the user agreed to. @returns their number */
    send: (share: Sharing, url: URL) =>
      follow(share.conversationId, (watch) => send(share, { ...watch, url })),
    /** @param file absolute */
    import: (file: string) => sharing.import(file),
    /** From 0 to 1; null: nothing is done for it. */
    progress: async ({ conversationId }: { readonly conversationId: string }) =>
      ok(works.get(conversationId)?.part ?? null),
    cancel: async ({ conversationId }: { readonly conversationId: string }) =>
      ok(works.get(conversationId)?.ending.abort()),
  }
}

function keysOf(access: ModelAccess): readonly string[] {
  if (access.kind !== 'api') return []
  const { key, authToken = null } = access
  return [key, authToken].filter((one) => one !== null)
}
