/** Composes what the user sees of texts that wait: those that agents would be told of, read anew. */
import { readFile } from 'node:fs/promises'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import { namedScripts } from '../../platform/approvals/named-scripts.ts'
import type { SeenTexts } from '../../platform/approvals/seen-texts.ts'
import { findRepository } from '../../platform/folders/folder-reader.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import type { CommandSource, MemorySource, SkillSource } from '../../runtime/ports/definitions.ts'
import type { FileSearch, FileSystem } from '../../runtime/ports/files.ts'

export interface ComposedTexts {
  /** `nested`: whether to look for instructions of subfolders; true by default. The others are read in any case. */
  waiting(folder: string, options?: { readonly nested: boolean }): Promise<readonly WaitingText[]>
  /** Approves one version. Fails with `changed` and `io`. */
  approve(folder: string, text: Pick<WaitingText, 'path' | 'digest'>): Promise<Result<void>>
  /** Why commands must not run now, as a sentence: scripts of the folder that they name have changed. */
  scriptsWait(folder: string, commands: readonly string[]): Promise<string | null>
}

interface ComposeTextsOptions {
  readonly texts: SeenTexts
  readonly memory: MemorySource
  readonly skills: Pick<SkillSource, 'list'>
  readonly commands: CommandSource
  readonly search: Pick<FileSearch, 'glob'>
  readonly isTrusted: (folder: string) => boolean
}

const MOST_NESTED = 500
const ANY_AGENT = { name: '', memory: 'project', omitProjectInstructions: false } as const

export function composeTexts(options: ComposeTextsOptions): ComposedTexts {
  const { texts, memory, skills, commands, search, isTrusted } = options
  const topOf = async (folder: string) => (await findRepository(folder))?.top ?? folder
  return {
    async waiting(folder, { nested } = { nested: true }) {
      if (!isTrusted(folder)) return []
      const trust = { trusted: true }
      await memory.load(folder, ANY_AGENT, trust)
      await skills.list(folder, trust)
      await commands.list(folder, trust)
      const found = nested
        ? await search.glob(
            { pattern: '**/{CLAUDE,AGENTS}.md', path: folder, limit: MOST_NESTED },
            AbortSignal.timeout(10_000),
          )
        : null
      for (const path of found?.ok ? found.value.paths : [])
        await memory.below(folder, realFolderOf(path) ?? path, trust)
      return texts.waiting(await topOf(folder))
    },
    async approve(folder, text) {
      return isTrusted(folder) ? texts.approve(await topOf(folder), text) : ok(undefined)
    },
    async scriptsWait(folder, named) {
      const top = await topOf(folder)
      for (const path of namedScripts(realFolderOf(folder) ?? folder, named)) {
        const text = await readFile(path, 'utf8').catch(() => null)
        if (text !== null && (await texts.told(top, { path, text })) !== text)
          return `It waits, because ${path} changed since you last saw it, or is new. See it and approve it in Settings › Permissions.`
      }
      return null
    },
  }
}

/** The files, so that a text that is written through Troupe counts as seen. */
export function noteWrites(files: FileSystem, texts: Pick<SeenTexts, 'saw'>): FileSystem {
  return {
    ...files,
    async write(path, content, options) {
      const written = await files.write(path, content, options)
      if (written.ok && (typeof content === 'string' || content.length <= LARGEST_TEXT))
        await texts
          .saw({ path, text: typeof content === 'string' ? content : new TextDecoder().decode(content) })
          // It then waits for the user, as if another program had written it.
          .catch(() => undefined)
      return written
    },
  }
}

/** Bytes. */
const LARGEST_TEXT = 1 << 20
