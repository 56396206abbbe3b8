/** Facts about a folder for the system prompt, read from files. No git command runs, so nothing in the folder is executed. */
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
