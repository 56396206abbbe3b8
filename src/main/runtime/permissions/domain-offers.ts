/** The rules that "Always allow" offers for a web page: for its host, and for the hosts beside a well-known one. */
import type { RuleOffer } from '../../../shared/agent-event.ts'

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
