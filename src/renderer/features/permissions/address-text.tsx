/** An address whose host stands out: the part that decides who gets the request. */
import { VisibleText } from '../../ui/text/visible-text.tsx'

export function AddressText({ children }: { readonly children: string }) {
  const { before, host, after, real } = addressParts(children)
  if (host === '') return <VisibleText>{children}</VisibleText>
  return (
    <>
      <span className="text-fg-2">
        <VisibleText>{before}</VisibleText>
      </span>
      <b data-host="" className="font-semibold text-fg-0">
        <VisibleText>{host}</VisibleText>
      </b>
      <span className="text-fg-1">
        <VisibleText>{after}</VisibleText>
      </span>
      {real !== null && <span className="block text-needs-you">This host is {real}.</span>}
    </>
  )
}

interface AddressParts {
  readonly before: string
  /** Empty if the text is no web address. */
  readonly host: string
  readonly after: string
  /** The host as it is looked up, if it is written in another way; otherwise null. */
  readonly real: string | null
}

/** A user name before "@" belongs to the front part: `https://google.com@evil.example/` goes to evil.example. */
export function addressParts(text: string): AddressParts {
  const [, scheme = '', authority = '', after = ''] = /^(https?:\/\/)([^/?#\\\s]*)(.*)$/is.exec(text) ?? []
  const at = authority.lastIndexOf('@') + 1
  const host = authority.slice(at)
  if (host === '' || !URL.canParse(text)) return { before: text, host: '', after: '', real: null }
  const real = new URL(text).host
  const written = host.toLowerCase().replace(/:(?:80|443)$/, '')
  return {
    before: scheme + authority.slice(0, at),
    host,
    after,
    real: real.replace(/:(?:80|443)$/, '') === written ? null : real,
  }
}
