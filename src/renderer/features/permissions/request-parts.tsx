/** The parts of a card with permission requests: address, waiting time, the reason, the choice to allow always. */
import { type ReactNode, useId } from 'react'
import { askedEachTime, offersOf } from '../../../shared/events/permissions.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { folderName, formatDuration } from '../../ui/text/format.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'

/** How long a request waits: "2:10". */
export function WaitingTime({ since }: { readonly since: number }) {
  const now = useNow(true)
  return (
    <span title="Waiting" className="shrink-0 font-mono text-fg-2 text-xs tabular-nums">
      {formatDuration(now - since)}
    </span>
  )
}

/** Why a request is asked: one quiet line, and the rest on request. */
interface WhyAskedProps {
  readonly because: string
  /** Why "Always allow" is off; null: it is offered. */
  readonly off: string | null
  /** The agent's permission mode in words; null: unknown. */
  readonly mode: string | null
  readonly folder: string
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  /** The color of the card, for the line that stays in view while a long change scrolls behind it. */
  readonly className?: string
  /** The rules to choose from, and what else belongs to the details. */
  readonly children?: ReactNode
}

export function WhyAsked({
  because,
  off,
  mode,
  folder,
  isOpen,
  onToggle,
  className,
  children,
}: WhyAskedProps) {
  const [first = '', ...others] = because.split('\n')
  const short = withoutPart(first)
  return (
    <div className={classNames('shrink-0 px-2.5 text-fg-2 text-xs', !isOpen && 'sticky bottom-0', className)}>
      <div className="flex min-h-6 items-center gap-2">
        <p className="min-w-0 flex-1 truncate" title={makeVisible([short, off].filter(Boolean).join(' '))}>
          <ReasonText>{short}</ReasonText>
          {off !== null && ` ${off}`}
        </p>
        <button
          type="button"
          aria-expanded={isOpen}
          className="shrink-0 rounded-xs text-fg-1 hover:text-fg-0 hover:underline"
          onClick={() => onToggle(!isOpen)}
        >
          {isOpen ? 'Less' : 'Why'}
        </button>
      </div>
      {isOpen && (
        <div className="pb-2">
          <ul
            aria-label="Why it is asked"
            className="flex flex-col gap-0.5 border-line-strong border-l-2 pl-2 wrap-anywhere"
          >
            {[first, ...others].map((line) => (
              <li key={line}>
                <ReasonText>{line}</ReasonText>
              </li>
            ))}
            {mode !== null && <li>Permission mode: {mode}.</li>}
            <li>
              Folder: <VisibleText>{folder}</VisibleText>
            </li>
            <li>
              {off === null
                ? 'Rules are checked first: deny, then ask, then allow. None of them decides about this.'
                : `${off} A rule that asks can be changed in Settings, Permissions.`}
            </li>
          </ul>
          {children}
        </div>
      )}
    </div>
  )
}

/** The request lists the parts of a command line itself. */
function withoutPart(reason: string): string {
  return reason.replace(/ This is about the part `[^`]*`\.$/s, '')
}

/** A reason in which commands and names between backticks are set as code. */
function ReasonText({ children }: { readonly children: string }) {
  return children.split(/`([^`]+)`/).map((text, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <VisibleText key={index}>{text}</VisibleText>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <code key={index} className="font-mono text-fg-1">
        <VisibleText>{text}</VisibleText>
      </code>
    ),
  )
}

/** Why no rule can be saved for a request, in a sentence; null: one can. */
export function whyNotAlways(
  request: Pick<PendingRequest, 'subject' | 'alwaysRule' | 'ruleOffers'>,
): string | null {
  if (offersOf(request).length > 0) return null
  const kind = askedEachTime(request.subject)
  if (kind === 'deletes') return '“Always allow” is off for deletions.'
  return kind === 'secret'
    ? '“Always allow” is off for secrets.'
    : 'No rule can allow this, so Troupe asks each time.'
}

/** An address whose host stands out: the part that decides who gets the request. */
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

/** The rules that "Always allow" can add, the exact one first, each with what else it covers. */
interface AlwaysOption {
  /** The rule, or several: "Exactly these 8 rules". */
  readonly texts: readonly string[]
  readonly alsoCovers: string | null
}

interface AlwaysChoiceProps {
  readonly options: readonly AlwaysOption[]
  readonly chosen: number
  readonly onChoose: (index: number) => void
}

export function AlwaysChoice({ options, chosen, onChoose }: AlwaysChoiceProps) {
  const folder = useConversation((state) => state.record?.folder ?? null)
  const name = useId()
  return (
    <div role="radiogroup" aria-labelledby={`${name}-title`} className="mt-2 min-w-0 shrink-0">
      <p id={`${name}-title`} className="mb-1 text-fg-2 text-xs">
        Always, from now on{folder === null ? '' : ` in ${folderName(folder)}`}
      </p>
      <div className="overflow-hidden rounded-[6px] border border-line">
        {options.map(({ texts, alsoCovers }, index) => (
          <label
            key={texts.join('\n')}
            className={classNames(
              'grid cursor-pointer grid-cols-[14px_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-2.5 py-1 text-sm has-focus-visible:outline-1 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent',
              index > 0 && 'border-line border-t',
              index === chosen ? 'bg-bg-2' : 'hover:bg-bg-2',
            )}
          >
            <input
              type="radio"
              name={name}
              checked={index === chosen}
              onChange={() => onChoose(index)}
              className="translate-y-0.5 accent-fg-1 outline-none"
            />
            <span className="min-w-0">
              <code
                className="font-mono text-fg-0 text-xs wrap-anywhere"
                title={texts.length > 1 ? texts.join('\n') : undefined}
              >
                {texts.length > 1 ? (
                  `Exactly these: ${texts.length} rules`
                ) : (
                  <CommandText>{texts[0] ?? ''}</CommandText>
                )}
              </code>
              <span className="block text-fg-2 text-xs">
                {alsoCovers === null ? (
                  'Covers nothing else.'
                ) : (
                  <>
                    Also covers <VisibleText>{alsoCovers}</VisibleText>.
                  </>
                )}
              </span>
            </span>
            {options.length > 1 && index < 9 && <Kbd keys={String(index + 1)} />}
          </label>
        ))}
      </div>
    </div>
  )
}
