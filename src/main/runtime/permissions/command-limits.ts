/** The limits of a command in the sandbox: what the agent may change, and the hosts that rules and settings allow. */
import type { CommandLimits } from '../sandbox.ts'
import type { AskDecision } from './permission-concern.ts'
import { type PermissionRule, parseRules } from './permission-rule.ts'

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
  return {
    writes: [...new Set(writes)],
    domains: isRefused
      ? []
      : [...new Set(allowed)].filter((domain) => only.length === 0 || coveredBy(ofDefinition, domain)),
    refusedDomains: domainsOf(refused).map((domain) => domain.replace(/^\*\./, '')),
  }
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
