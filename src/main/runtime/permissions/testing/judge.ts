/** Short forms of permission questions, in a fake file system. */
import type { PermissionMode } from '../../../../shared/events/agent-event.ts'
import { ok } from '../../../../shared/kernel/result.ts'
import { resolvePath } from '../../paths/paths.ts'
import type { FileQuery } from '../../ports/files.ts'
import type { SandboxPolicy } from '../../ports/sandbox.ts'
import { decidePermission } from '../decide-permission.ts'
import type { FileLook, PermissionAgent, PermissionDecision } from '../permission-concern.ts'
import type { GivenRule } from '../permission-rule.ts'

export interface Situation {
  readonly tool?: string
  readonly mode?: PermissionMode
  readonly agent?: Partial<PermissionAgent>
  readonly rules?: readonly GivenRule[]
  readonly denied?: readonly GivenRule[]
  readonly asked?: readonly GivenRule[]
  readonly trusted?: boolean
  readonly bypassAllowed?: boolean
  readonly dataFolder?: string
  readonly look?: FileLook
  readonly sandbox?: SandboxPolicy | null
  readonly neverAsks?: boolean
  readonly reachesUser?: boolean
}

/** Links of the fake file system. The agent's folder is `/repo`. */
const LINKS: Readonly<Record<string, string>> = {
  '/repo/out': '/etc',
  '/repo/notes.txt': '/repo/.env',
  '/repo/hooks': '/repo/.git/hooks',
  '/repo/sub/store/.git': '/repo/store',
  '/repo/deep/link': '/repo/inner',
  '/linked-repo': '/repo',
  '/repo/mine': '/home/me/.claude/agent-memory/a',
  '/repo/.git/hooks/post-merge': '/home/me/.claude/agent-memory/a/hook',
  '/home/me/.claude/agent-memory/a/out': '/home/me/.claude',
  '/worktree/to-project': '/repo',
}

/** Files of the fake file system. `keys` is ignored by git. */
const FILES = (
  '/repo/package.json /repo/README.md /repo/names.txt /repo/.env /repo/.env.example /repo/config/.env.local ' +
  '/repo/src/main.ts /repo/src/other.ts /repo/lib/a.ts /repo/keys/server.pem /open/id_rsa /repo-evil/x ' +
  '/etc/passwd /secret/id /home/me/.bashrc'
).split(' ')

function namesIn(folder: string): readonly string[] | null {
  const start = `${realPathOf(folder)}/`.replace('//', '/')
  const below = [...FILES, ...Object.keys(LINKS)].filter((path) => path.startsWith(start))
  const names = new Set(below.map((path) => path.slice(start.length).split('/')[0] ?? ''))
  return names.size === 0 ? null : [...names]
}

function firstFile({ path, hidden, ignored, filters, passes }: FileQuery): string | null {
  const start = `${path}/`
  const found = FILES.filter((file) => file.startsWith(start))
    .map((file) => file.slice(start.length))
    .filter(
      (file) =>
        (hidden || filters.length > 0 || !/(^|\/)\./.test(file)) && (ignored || !file.startsWith('keys/')),
    )
  return found.find(passes) ?? null
}

export function realPathOf(path: string): string {
  let at = '/'
  for (const name of resolvePath('/', path).split('/').filter(Boolean)) {
    at = resolvePath(at, name)
    at = LINKS[at] ?? at
  }
  return at
}

/** An agent in a worktree of `/repo`. */
export const inWorktree = {
  root: '/worktree',
  worktree: { root: '/worktree', branch: 'troupe/fixer-a', aliases: ['/repo', '/linked-repo'] },
} satisfies Partial<PermissionAgent>

export const look: FileLook = {
  names: async (path) => namesIn(path),
  text: async () => null,
  findFile: async (query) => ok(firstFile(query)),
}

function common(situation: Situation) {
  return {
    mode: situation.mode ?? 'default',
    agent: { readOnly: false, root: '/repo', ...situation.agent },
    rules: situation.rules ?? [],
    denied: situation.denied ?? [],
    asked: situation.asked ?? [],
    trusted: situation.trusted ?? true,
    bypassAllowed: situation.bypassAllowed ?? situation.mode === 'bypassPermissions',
    home: '/home/me',
    dataFolder: situation.dataFolder ?? '/home/me/.local/share/troupe',
    realPath: async (path: string) => ok(realPathOf(path)),
    look: situation.look ?? look,
    sandbox: situation.sandbox ?? null,
    neverAsks: situation.neverAsks ?? false,
    reachesUser: situation.reachesUser ?? true,
  }
}

export function judgeCommand(
  command: string,
  situation: Situation & { readonly outside?: boolean } = {},
): Promise<PermissionDecision> {
  const target = { kind: 'command', command, outside: situation.outside ?? false } as const
  return decidePermission({ tool: 'Bash', target, ...common(situation) })
}

export function judgeRead(path: string, situation: Situation = {}): Promise<PermissionDecision> {
  return decidePermission({
    tool: situation.tool ?? 'Read',
    target: { kind: 'read', path },
    ...common(situation),
  })
}

export function judgeWrite(path: string, situation: Situation = {}): Promise<PermissionDecision> {
  return decidePermission({
    tool: situation.tool ?? 'Write',
    target: { kind: 'write', path, preview: '+ new line' },
    ...common(situation),
  })
}

/** A call of a tool of an MCP server. */
export function judgeMcpTool(tool: string, situation: Situation = {}): Promise<PermissionDecision> {
  const target = { kind: 'undeclared', action: `use ${tool}`, text: '{}', onlyReads: false } as const
  return decidePermission({ tool, target, ...common(situation) })
}

/** A call without effects of its own that names something: a skill, a type of agent. */
export function judgeNamed(
  tool: string,
  subject: string,
  situation: Situation = {},
): Promise<PermissionDecision> {
  return decidePermission({ tool, target: { kind: 'none', subject }, ...common(situation) })
}

/** A call as people write it: `Write(src/a.ts)`, `WebFetch(https://example.com)`, `mcp__server__tool`, `npm test`. */
export function judgeCall(call: string, situation: Situation = {}): Promise<PermissionDecision> {
  const [, tool = '', input = ''] = /^(\w+)\((.+)\)$/.exec(call) ?? []
  if (tool === 'Write' || tool === 'NotebookEdit') return judgeWrite(input, { ...situation, tool })
  if (tool === 'Read' || tool === 'Grep') return judgeRead(input, { ...situation, tool })
  if (tool === 'WebFetch')
    return decidePermission({ tool, target: { kind: 'fetch', url: input }, ...common(situation) })
  return call.startsWith('mcp__') ? judgeMcpTool(call, situation) : judgeCommand(call, situation)
}

/** A call of MergeWorktree. */
export function judgeAlwaysAsk(
  situation: Situation = {},
  text = 'troupe/fixer-a into main\n2 commits',
): Promise<PermissionDecision> {
  const because = 'It changes a branch of yours.'
  const remedy = 'The user can merge it: troupe worktrees merge fixer-a'
  return decidePermission({
    tool: 'MergeWorktree',
    target: { kind: 'always-ask', subject: 'fixer', action: 'merge a branch', text, because, remedy },
    ...common(situation),
  })
}

/** "allow", "ask" or "deny". */
export async function verdict(decision: Promise<PermissionDecision>): Promise<string> {
  return (await decision).kind
}
