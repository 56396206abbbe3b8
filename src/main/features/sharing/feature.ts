/** Composes the sharing of conversations: previews, files, and the way back in. */

import { join } from 'node:path'
import type { Result } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import type { SharePreview } from '../../../shared/sharing/sharing.ts'
import type { ProgramLaunch } from '../../platform/launch-options.ts'
import type { Platform } from '../../platform/platform.ts'
import { secretValues } from '../../platform/shell/command-environment.ts'
import type { Ids } from '../../runtime/ports/ports.ts'
import { type Imported, importConversation } from './import-conversation.ts'
import { previewShare, type Share, type SharingDeps, sendShare, shareChunks } from './share-conversation.ts'
import type { Sharing } from './shared-conversation.ts'
import { printChunks, type Watch, writeFileOf } from './write-chunks.ts'

export interface SharingService {
  /** What the file would have in it. Reads the whole conversation; `onBytes` gets the bytes of the file so far. */
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
      const chunks = await shareChunks(share, deps)
      return chunks.ok ? writeFileOf(chunks.value, to) : chunks
    },
    async print(share, to) {
      const chunks = await shareChunks(share, deps)
      return chunks.ok ? printChunks(chunks.value, to) : chunks
    },
    send: (share, to) => sendShare(share, { ...deps, ...to }),
    import: (file) => importConversation(file, { store, ids, home }),
  }
}

function keysOf(access: ModelAccess): readonly string[] {
  if (access.kind !== 'api') return []
  const { key, authToken = null } = access
  return [key, authToken].filter((one) => one !== null)
}
