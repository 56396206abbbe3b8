/** Facts of a folder for a system prompt, read from files: no git command runs, so nothing of it is executed. */
import type { FolderReader } from '../../runtime/ports.ts'
import { findRepository } from './git-branch.ts'

export function createFolderReader({ platform }: { readonly platform: string }): FolderReader {
  return {
    facts: async (folder) => {
      const repository = await findRepository(folder)
      return { isRepository: repository !== null, gitBranch: repository?.branch ?? null, platform }
    },
  }
}
