/** The remotes of a repository that Troupe can push to, and how git reaches them. */
import { maskAddresses } from '../../../shared/kernel/mask-secrets.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Git, GitOptions } from '../../platform/git/git-client.ts'
import { type RemoteAddress, readRemoteAddress } from './remote-address.ts'

export interface PushTools {
  readonly git: Git
  /** What git needs to log in as the user does: agents for ssh, helpers that ask. */
  readonly login: Readonly<Record<string, string>>
}

/** A remote that Troupe can push to. */
export interface Remote {
  readonly name: string
  /** Where git pushes to, without a password. */
  readonly address: string
  /** What git asks about the branches there: the name, or the address where another one is for reading. */
  readonly asked: string
  /** The repository that pull requests belong to: of the address for reading, or else of the one for pushing. */
  readonly repository: RemoteAddress
}

const REMOTE_NAME = /^[A-Za-z0-9][\w./-]*$/

/** The names of the remotes, `origin` first. */
export async function remoteNames({ git }: PushTools, folder: string): Promise<readonly string[]> {
  const listed = await git.run(folder, ['remote'])
  const names = listed.ok ? listed.value.split('\n').filter((name) => REMOTE_NAME.test(name)) : []
  return names.toSorted((a, b) => Number(b === 'origin') - Number(a === 'origin'))
}

/** Fails with `bad-remote` or as git does. @param name one of `remoteNames` */
export async function findRemote({ git }: PushTools, folder: string, name: string): Promise<Result<Remote>> {
  const [forReading, forPushing] = await Promise.all([
    git.run(folder, ['remote', 'get-url', '--all', '--', name]),
    git.run(folder, ['remote', 'get-url', '--push', '--all', '--', name]),
  ])
  if (!forReading.ok) return forReading
  if (!forPushing.ok) return forPushing
  const [address = '', ...more] = outputLines(forPushing.value)
  if (more.length > 0)
    return fail({
      type: 'bad-remote',
      message: `${name} pushes to ${more.length + 1} places at once. Troupe pushes to one: give ${name} one pushurl, or choose another remote.`,
    })
  const target = readRemoteAddress(address)
  if (!target.ok) return target
  const [readFrom = ''] = outputLines(forReading.value)
  const source = readRemoteAddress(readFrom)
  if (!source.ok) return source
  const repository = source.value.kind === 'host' ? source.value : target.value
  return ok({
    name,
    address: maskAddresses(address),
    asked: readFrom === address ? name : address,
    repository,
  })
}

/** ms that git waits for a remote. */
const PATIENCE = 120_000

/** The user's login, and no kind of address that runs a program. */
export const reaching = ({ login }: PushTools): GitOptions => ({
  environment: { ...login, GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' },
  signal: AbortSignal.timeout(PATIENCE),
})

export const outputLines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
