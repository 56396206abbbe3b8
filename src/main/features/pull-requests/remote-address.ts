/**
 * The address of a remote: which host and repository it means, and the forge's pages of it. A repository's settings name
 * the address, so it is read strictly: what is no plain https, ssh, git or folder address is refused.
 */
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { ForgeKind } from '../../../shared/pull-requests/pull-request.ts'

/** A repository on a host. */
export interface HostedRepository {
  /** In lower case, without the port. Where the host has another name for ssh over 443, the usual one. */
  readonly host: string
  /** The port of its pages; null: the usual one, or unknown because the address is no https address. */
  readonly port: string | null
  /** The names between the slashes, without `.git`: at least one. */
  readonly path: readonly string[]
}

export type RemoteAddress =
  | ({ readonly kind: 'host' } & HostedRepository)
  /** A folder of this machine. */
  | { readonly kind: 'folder' }

/** Fails with `bad-remote`: the message names what is wrong, and never repeats a password. */
export function readRemoteAddress(address: string): Result<RemoteAddress> {
  if (address === '' || address.startsWith('-')) return refused('it begins like an option')
  if (HIDDEN.test(address)) return refused('it has control characters')
  if (/^[\w+-]*::/.test(address)) return refused('it names a program')
  const url = URL_FORM.exec(address)
  if (url !== null) {
    const [, scheme = '', host = '', port, path = ''] = url
    if (!/^(https?|ssh|git|git\+ssh|ssh\+git)$/i.test(scheme))
      return /^file$/i.test(scheme) ? ok({ kind: 'folder' }) : refused(`Troupe does not use ${scheme}://`)
    return hosted(host, /^https$/i.test(scheme) && port !== '443' ? (port ?? null) : null, path)
  }
  if (/^(?:[/~.]|[A-Za-z]:[\\/])/.test(address)) return ok({ kind: 'folder' })
  const short = SHORT_FORM.exec(address)
  if (short !== null) return hosted(short[1] ?? '', null, short[2] ?? '')
  return address.includes(':') ? refused('it is no address of a repository') : ok({ kind: 'folder' })
}

const refused = (because: string) =>
  fail({
    type: 'bad-remote',
    message: `${sentence(`The address of the remote was not used: ${because}`)} Check it with git remote -v.`,
  })

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

/** `https://me@host:8443/group/name.git` */
const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@\\]*@)?([^/:@]*)(?::(\d{1,5}))?\/(.*)$/i
/** `git@host:group/name.git` */
const SHORT_FORM = /^(?:[\w.~-]+@)?([^/:@]+):(.*)$/

const HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const NAME = /^(?!\.{1,2}$)[\w.~-]+$/

function hosted(host: string, port: string | null, path: string): Result<RemoteAddress> {
  const name = host.toLowerCase()
  if (!HOST.test(name)) return refused('its host is not valid')
  const names = path.replace(/^\/+|\/+$/g, '').split('/')
  const last = names.length - 1
  const plain = names.map((one, index) => (index === last ? one.replace(/\.git$/, '') : one))
  if (!plain.every((one) => NAME.test(one))) return refused('its path is not valid')
  return ok({ kind: 'host', host: SSH_HOSTS[name] ?? name, port, path: plain })
}

/** Hosts that answer ssh on port 443. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
}

/** The forge of a host by its name; null: the name does not tell. */
export function forgeKindOf(host: string): ForgeKind | null {
  const known = KNOWN.find(([pattern]) => pattern.test(host))
  return known?.[1] ?? null
}

const KNOWN: readonly (readonly [RegExp, ForgeKind])[] = [
  [/(^|\.)github\.com$|\.ghe\.com$/, 'github'],
  [/(^|\.)gitlab\.com$/, 'gitlab'],
  [/(^|\.)bitbucket\.org$/, 'bitbucket'],
  [/^(codeberg\.org|gitea\.com)$/, 'gitea'],
  [/(^|[.-])github[.-]/, 'github'],
  [/(^|[.-])gitlab[.-]/, 'gitlab'],
  [/(^|[.-])(gitea|forgejo)[.-]/, 'gitea'],
]

const originOf = ({ host, port }: HostedRepository): string =>
  `https://${host}${port === null ? '' : `:${port}`}`

/** An address from a forge, if it is an https address of the remote's own host; otherwise null. */
export function addressAt(repository: HostedRepository, address: unknown): string | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null
  const { protocol, host, username, password, href } = new URL(address)
  const own = new URL(originOf(repository)).host
  return protocol === 'https:' && host === own && username === '' && password === '' ? href : null
}

interface NewRequest {
  readonly branch: string
  readonly base: string
  readonly title: string
  readonly body: string
}

/** Longer addresses are not opened: then the body is left out. */
const LONGEST_ADDRESS = 4000

/** The forge's page that makes a pull request; for a host without a known forge the page of the repository. */
export function newRequestPage(kind: ForgeKind, repository: HostedRepository, request: NewRequest): string {
  const whole = pageFor(kind, repository, request)
  return whole.length <= LONGEST_ADDRESS ? whole : pageFor(kind, repository, { ...request, body: '' })
}

function pageFor(kind: ForgeKind, repository: HostedRepository, request: NewRequest): string {
  const { branch, base, title, body } = request
  const at = `${originOf(repository)}/${repository.path.map(encodeURIComponent).join('/')}`
  // A slash in a branch name stays readable in a path.
  const named = (name: string) => name.split('/').map(encodeURIComponent).join('/')
  const query = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString()
  switch (kind) {
    case 'github':
      return `${at}/compare/${named(base)}...${named(branch)}?${query({ expand: '1', title, ...(body !== '' && { body }) })}`
    case 'gitlab':
      return `${at}/-/merge_requests/new?${query({
        'merge_request[source_branch]': branch,
        'merge_request[target_branch]': base,
        'merge_request[title]': title,
        ...(body !== '' && { 'merge_request[description]': body }),
      })}`
    case 'bitbucket':
      return `${at}/pull-requests/new?${query({ source: branch, dest: base, title })}`
    case 'gitea':
      return `${at}/compare/${named(base)}...${named(branch)}`
    case 'other':
      return at
  }
}
