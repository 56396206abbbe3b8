/** Decides whether a web page may be fetched: rules name domains, `WebFetch(domain:example.com)`. */

import type { RuleOffer } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PermissionTarget } from '../ports/tool.ts'
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

/** `host`: as `URL` writes it. Empty: there is no rule for it. */
export function domainOffers(tool: string, host: string): readonly RuleOffer[] {
  if (host === '') return []
  const exact = { rule: `${tool}(domain:${host})`, alsoCovers: `every other page of ${host}` }
  const [first = '', ...rest] = host.split('.')
  const domain = rest.join('.')
  if (!OWN_NAMES.has(first) || rest.length < 2 || isShared(domain)) return [exact]
  const example = first === 'api' ? 'docs' : 'api'
  return [
    exact,
    {
      rule: `${tool}(domain:*.${domain})`,
      alsoCovers: `every host below ${domain}, for example ${example}.${domain}`,
    },
  ]
}

/** Names that the owner of a domain uses. Another name may belong to somebody who rents a place below the domain. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  'www docs doc developer developers dev api help support learn blog wiki en reference guide guides'.split(
    ' ',
  ),
)

/** Whether different people own the hosts below a domain: `co.uk`, `github.io`. */
function isShared(domain: string): boolean {
  const [name = '', end = '', ...more] = domain.split('.')
  // A country's second level: co.uk, com.au, ac.jp.
  if (more.length === 0 && end.length === 2 && name.length <= 3) return true
  return SHARED.some((shared) => domain === shared || domain.endsWith(`.${shared}`))
}

const SHARED: readonly string[] = (
  'github.io gitlab.io bitbucket.io githubusercontent.com vercel.app now.sh netlify.app netlify.com pages.dev ' +
  'workers.dev cloudfront.net amazonaws.com azurewebsites.net windows.net azurestaticapps.net web.app ' +
  'firebaseapp.com appspot.com run.app googleapis.com googleusercontent.com herokuapp.com onrender.com fly.dev ' +
  'glitch.me repl.co replit.app surge.sh blogspot.com wordpress.com tumblr.com medium.com substack.com ' +
  'notion.site readthedocs.io readthedocs.org gitbook.io hf.space ngrok.io ngrok.app ngrok-free.app ' +
  'trycloudflare.com loca.lt serveo.net webhook.site requestbin.net pipedream.net beeceptor.com duckdns.org ' +
  'nip.io sslip.io dyndns.org no-ip.org'
).split(' ')
