/** Placeholder while the real module is made elsewhere. */
import { ok, type Result } from '../../../shared/result.ts'
import type { Git } from '../git/git-client.ts'

export interface GitMount {
  readonly source: string
  readonly at: string
  readonly writable: boolean
}
export interface PrivateGit {
  readonly mounts: readonly GitMount[]
  takeOver(): Promise<readonly string[]>
}
export interface PrivateGits {
  open(request: {
    readonly agentId: string
    readonly folder: string
    readonly writable: boolean
  }): Promise<Result<PrivateGit | null>>
}
export function createPrivateGits(_: { readonly store: string; readonly git: Git }): PrivateGits {
  return { open: async () => ok(null) }
}
