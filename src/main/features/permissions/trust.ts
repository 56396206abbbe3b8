/** `troupe trust list`, `add` and `revoke`: the folders that the user trusts. */
import type { Result } from '../../../shared/kernel/result.ts'
import { EXIT, oneLine } from '../../platform/command-line/terminal.ts'

export interface TrustContext {
  /** The trusted folders. */
  readonly folders: readonly string[]
  /** The folder of `add` and `revoke`, links resolved. A folder to revoke may be gone. */
  readonly folder: string
  /** Whether a folder is trusted now, by itself or through a folder around it. */
  readonly isTrusted: (folder: string) => boolean
  readonly save: (folders: readonly string[]) => Promise<Result<unknown>>
  /** Approves the agents that the folder has now. */
  readonly approveAll: (folder: string) => Promise<Result<void>>
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** The values of `troupe trust …`. */
export type TrustCommand = { readonly json: boolean } & (
  | { readonly verb: 'trust-list' }
  /** `folder`: as given; null: the current one. */
  | { readonly verb: 'trust-add' | 'trust-revoke'; readonly folder: string | null }
)

/** @returns the exit code */
export async function trustCommand({ verb, json }: TrustCommand, context: TrustContext): Promise<number> {
  const { folders, folder, isTrusted, save, output, errors } = context
  const complain = (message: string): number => {
    errors.write(`troupe: ${oneLine(message)}\n`)
    return EXIT.failed
  }
  if (verb === 'trust-list') {
    for (const path of folders)
      output.write(json ? `${JSON.stringify({ type: 'trusted-folder', path })}\n` : `${oneLine(path)}\n`)
    if (folders.length === 0 && !json)
      output.write('No folder is trusted. To trust this one: troupe trust add\n')
    return EXIT.done
  }
  const others = folders.filter((each) => each !== folder)
  if (verb === 'trust-revoke' && others.length === folders.length)
    return complain(
      isTrusted(folder)
        ? `${folder} is trusted because a folder around it is. See troupe trust list, and revoke that one.`
        : `${folder} is not trusted, so nothing was changed.`,
    )
  const saved = await save(verb === 'trust-add' ? [...others, folder] : others)
  if (!saved.ok) return complain(saved.failure.message)
  if (verb === 'trust-add') {
    const approved = await context.approveAll(folder)
    if (!approved.ok) return complain(approved.failure.message)
  }
  if (json) output.write(`${JSON.stringify({ type: verb, path: folder })}\n`)
  else
    output.write(
      verb === 'trust-add'
        ? `${oneLine(folder)} and the folders in it are trusted. Hooks and MCP servers of it still need your approval, each once.\n`
        : `${oneLine(folder)} is not trusted any more. Nothing of it is used until you trust it again.\n`,
    )
  return EXIT.done
}
