/** What a job tells about a repository, and the kinds of repositories that can't be sent. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type Repository, repositoryAround } from '../../../platform/git/repository.ts'
import { submodulePaths } from '../../../platform/git/submodules.ts'
import { type BundleFailure, type BundleResult, bundleFailure } from './bundle-failure.ts'

interface RepositoryFacts {
  readonly repository: Repository & { readonly head: string }
  /** The hash of the first commit. */
  readonly id: string
  readonly url: string | null
  /** What the worker's checkout will lack, for the user and the agent. */
  readonly notes: readonly string[]
}

const CANNOT = 'The repository can’t be sent to another machine'

/** @param folder any folder of a checkout */
export async function repositoryFacts(
  git: Git,
  folder: string,
  signal?: AbortSignal,
): Promise<BundleResult<RepositoryFacts>> {
  const options = signal ? { signal } : {}
  const around = await repositoryAround(git, folder, signal)
  if (!around.ok) {
    const { type, message } = around.failure
    if (type === 'not-a-repository')
      return fail(
        refused(
          `${folder} is not in a git repository. Run \`git init\` and make a first commit, or run the agent on this machine.`,
        ),
      )
    if (type === 'bare') return fail(refused(message))
    return fail(await bundleFailure(around.failure, CANNOT, []))
  }
  const repository = around.value
  const { top, head } = repository
  if (head === null)
    return fail(refused(`${top} has no commits yet. Make a first commit, or run the agent on this machine.`))
  if (repository.isShallow)
    return fail(
      refused(
        `${top} is a shallow clone, which lacks a part of its history. Run \`git fetch --unshallow\`, or run the agent on this machine.`,
      ),
    )
  const partial = ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$']
  const [roots, promised, urls, filters] = await Promise.all([
    git.run(top, ['rev-list', '--first-parent', '--max-parents=0', 'HEAD'], options),
    git.answers(top, partial, { ...options, accepts: [1] }),
    git.answers(top, ['config', '--get-regexp', '^remote\\..*\\.url$'], { ...options, accepts: [1] }),
    usedFilters(git, top),
  ])
  if (!roots.ok) return fail(await bundleFailure(roots.failure, CANNOT, []))
  if (!promised.ok) return fail(await bundleFailure(promised.failure, CANNOT, []))
  if (promised.value.output !== '')
    return fail(
      refused(
        `${top} is a partial clone, which lacks a part of its files. Clone the repository without \`--filter\` and work there, or run the agent on this machine.`,
      ),
    )
  return ok({
    repository: { ...repository, head },
    id: roots.value.trim().split('\n').at(-1) ?? '',
    url: urls.ok ? remoteUrl(urls.value.output) : null,
    notes: [...(await submoduleNotes(git, repository)), ...filterNotes(filters)],
  })
}

const refused = (why: string): BundleFailure => ({ type: 'refused', message: `${CANNOT}: ${why}` })

/** The URL of `origin`, or else of the first remote. */
function remoteUrl(output: string): string | null {
  const lines = output.split('\n').filter((line) => line !== '')
  const line = lines.find((one) => one.startsWith('remote.origin.url ')) ?? lines[0]
  return line === undefined ? null : withoutCredentials(line.slice(line.indexOf(' ') + 1))
}

/** Null: the address is a folder of this machine. User names stay out as well, since tokens are used as such. */
export function withoutCredentials(address: string): string | null {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(address)
  if (parts) {
    const [, scheme = '', authority = '', path = ''] = parts
    if (scheme.toLowerCase() === 'file') return null
    return `${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}${path}`
  }
  const [, host, path] = /^(?:[^/]*@)?([^/:@]+):([^?#]+)$/.exec(address) ?? []
  // A single letter is a drive.
  return host === undefined || path === undefined || host.length === 1 ? null : `${host}:${path}`
}

async function submoduleNotes(git: Git, { top, hasSubmodules }: Repository): Promise<readonly string[]> {
  const paths = hasSubmodules ? [...(await submodulePaths(git, top))] : []
  if (paths.length === 0) return []
  return [`Submodules are not sent: ${listOf(paths)} will be empty on the other machine.`]
}

/** The names of the filters that attributes of committed files name. */
async function usedFilters(git: Git, top: string): Promise<readonly string[]> {
  const args = [
    'grep',
    '--cached',
    '-h',
    '-I',
    '-o',
    '-E',
    'filter=[A-Za-z0-9_-]+',
    '--',
    ':(glob)**/.gitattributes',
  ]
  const found = await git.answers(top, args, { accepts: [1] })
  if (!found.ok) return []
  const names = found.value.output.split('\n').map((line) => line.trim().slice('filter='.length))
  return [...new Set(names.filter((name) => name !== ''))]
}

function filterNotes(filters: readonly string[]): readonly string[] {
  const others = filters.filter((name) => name !== 'lfs')
  return [
    ...(filters.includes('lfs')
      ? ['Files in git-lfs are pointers on the other machine: their content is not sent.']
      : []),
    ...(others.length > 0
      ? [
          `Files with the git filter ${listOf(others)} are on the other machine as they are in the repository, for example encrypted: filters do not run there.`,
        ]
      : []),
  ]
}

function listOf(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}
