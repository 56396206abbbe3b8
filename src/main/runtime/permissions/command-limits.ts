/** The limits of a command in the sandbox: what the agent may change, and the hosts that rules and settings allow. */
import type { CommandLimits, FileRules } from '../ports/sandbox.ts'
import type { AskDecision } from './permission-concern.ts'
import { covers, type PermissionRule, parseRules, ruleForFile } from './permission-rule.ts'

type Limits = Omit<CommandLimits, 'agentId'>

export function commandLimits(question: AskDecision, confinement: 'sandbox' | 'read-only'): Limits {
  const { agent, sandbox } = question
  const writes =
    confinement === 'read-only'
      ? []
      : [
          agent.worktree?.root ?? agent.root,
          ...(agent.additionalFolders ?? []),
          ...(agent.writeFolders ?? []),
          ...(sandbox?.alsoWrites ?? []),
        ]
  const only = parseRules(agent.only ?? []).filter(isFetch)
  const denied = [...(question.denied ?? []), ...(question.asked ?? []), ...(agent.denied ?? [])]
  const refused = parseRules(denied).filter(isFetch)
  const isRefused = refused.some(({ pattern }) => pattern === null)
  const allowed = [...(sandbox?.domains ?? []), ...domainsOf(parseRules(question.rules).filter(isFetch))]
  const ofDefinition = domainsOf(only)
  const folder = agent.worktree?.root ?? agent.root
  const access = fileRules(parseRules(denied, question.home), folder)
  return {
    folder,
    reads: [
      ...(agent.readFolders ?? []),
      ...(agent.additionalFolders ?? []),
      ...(agent.writeFolders ?? []),
      ...(agent.worktree?.aliases ?? []),
    ],
    ...(access && { access }),
    writes: [...new Set(writes)],
    domains: isRefused
      ? []
      : [...new Set(allowed)].filter((domain) => only.length === 0 || coveredBy(ofDefinition, domain)),
    refusedDomains: domainsOf(refused).map((domain) => domain.replace(/^\*\./, '')),
  }
}

/** The rules about files that deny or ask, each as a text. */
export function fileRuleTexts(
  question: Pick<AskDecision, 'denied' | 'asked' | 'home'> & {
    readonly agent: Pick<AskDecision['agent'], 'denied'>
  },
): readonly string[] {
  const given = [...(question.denied ?? []), ...(question.asked ?? []), ...(question.agent.denied ?? [])]
  return parseRules(given, question.home)
    .filter((rule) => covers(rule, 'read') || covers(rule, 'write'))
    .map(({ tool, pattern }) => JSON.stringify([tool, pattern]))
}

/**
 * Files that a rule denies or asks about are kept from every program: those that may not be read are hidden, those that
 * may not be edited are read-only. Null: no rule is about files.
 */
function fileRules(rules: readonly PermissionRule[], folder: string): FileRules | null {
  const given = rules
    .filter((rule) => rule.pattern !== null && (covers(rule, 'read') || covers(rule, 'write')))
    .map((rule) => ({ ...rule, forbids: true }) as const)
  if (given.length === 0) return null
  const hits = (target: 'read' | 'write', real: string, below: string | null) =>
    ruleForFile(given, { target, file: { real, below }, precise: true }) !== null
  return {
    key: JSON.stringify(given.map(({ tool, pattern }) => [tool, pattern])),
    judge: ({ absolute, below }) =>
      hits('read', absolute, below) ? 'hidden' : hits('write', absolute, below) ? 'read-only' : null,
    named: given.flatMap(({ pattern }) => (pattern === null ? [] : namedBy(pattern, folder))),
  }
}

/** `locked/**` names the folder `locked`, `./a/b.txt` a file. A name alone is at any depth, so it also names the top's. */
function namedBy(pattern: string, folder: string): FileRules['named'] {
  const path = pattern.replace(/\/\*\*?$/, '').replace(/\/$/, '')
  if (path === '' || /[*?[{\\!~]/.test(path)) return []
  const isFile = path === pattern && /[^/]\.[a-z0-9]+$/i.test(path)
  const absolute = path.startsWith('//') ? path.slice(1) : `${folder}/${path.replace(/^\.?\//, '')}`
  return [{ path: absolute, kind: isFile ? 'file' : 'folder' }]
}

const isFetch = ({ tool }: PermissionRule): boolean => tool === 'WebFetch'

/** The domains that rules name. A rule for every page opens no host to commands, which can send anything. */
function domainsOf(rules: readonly PermissionRule[]): readonly string[] {
  return rules.flatMap(({ pattern }) => {
    const domain = /^domain:\s*(\S+)$/i.exec(pattern ?? '')?.[1]
    return domain === undefined || domain === '*' ? [] : [domain.toLowerCase()]
  })
}

function coveredBy(wider: readonly string[], domain: string): boolean {
  return wider.some((each) => each === domain || (each.startsWith('*.') && domain.endsWith(each.slice(1))))
}
