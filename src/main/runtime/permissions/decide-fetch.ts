/** Decides whether a web page may be fetched: rules name domains, `WebFetch(domain:example.com)`. */
import { makeVisible } from '../../../shared/visible-text.ts'
import type { PermissionTarget } from '../tool.ts'
import { domainOffers } from './domain-offers.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { type PermissionRule, ruleName } from './permission-rule.ts'
import { byRules, forbiddenByRule, untrusted } from './refusals.ts'

export function decideFetch(
  { tool, rules, definitionRules, agent, trusted, mode }: PermissionConcern,
  { url }: PermissionTarget & { kind: 'fetch' },
): PermissionDecision {
  const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })
  const host = hostOf(url)
  const mine = (rule: PermissionRule) => rule.tool === tool
  const forbidden = definitionRules.denied.find((rule) => mine(rule) && forbidsHost(rule, host))
  if (forbidden) return deny(forbiddenByRule(forbidden))
  const only = definitionRules.only.filter(mine)
  if (only.length > 0 && !only.some((rule) => coversHost(rule, host)))
    return deny(`This agent's definition allows only ${only.map(ruleName).join(', ')}.`)
  if (!trusted) return deny(untrusted)
  if (mode === 'bypassPermissions')
    return { kind: 'allow', because: 'The permission mode allows every call.' }
  const allowing = rules.find((rule) => mine(rule) && coversHost(rule, host))
  if (allowing) return { kind: 'allow', because: `Allowed by the rule ${ruleName(allowing)}.` }
  const offers = domainOffers(tool, host)
  const alwaysRule = offers[0]?.rule ?? null
  return {
    kind: 'ask',
    subject: { kind: 'url', action: 'fetch a web page', text: makeVisible(url), folder: agent.root },
    because: host === '' ? 'No rule allows this address.' : `No rule allows ${host}.`,
    alwaysRule,
    offers,
    remedy: byRules(alwaysRule ?? tool),
  }
}

/** In lower case, without the dot that may end a full name. Empty for a text that is no address. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
}

/** `domain:example.com` covers exactly that host, `domain:*.example.com` every host below it. */
function coversHost({ pattern }: PermissionRule, host: string): boolean {
  if (pattern === null) return true
  const domain = domainOf(pattern)
  if (domain === '' || host === '') return false
  return domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain
}

/** A rule that denies covers the hosts below a domain too. */
function forbidsHost(rule: PermissionRule, host: string): boolean {
  return coversHost(rule, host) || (rule.pattern !== null && host.endsWith(`.${domainOf(rule.pattern)}`))
}

/** Empty for a pattern that names no domain: such a rule covers nothing. */
function domainOf(pattern: string): string {
  const domain = /^domain:\s*(\S+)$/i.exec(pattern)?.[1] ?? ''
  const plain = domain.toLowerCase().replace(/\.$/, '')
  // A host name is compared as `URL` writes it: `münchen.example` as `xn--…`.
  const wildcard = plain.startsWith('*.') ? '*.' : ''
  const name = plain.slice(wildcard.length)
  return URL.canParse(`http://${name}/`) ? wildcard + new URL(`http://${name}/`).hostname : ''
}
