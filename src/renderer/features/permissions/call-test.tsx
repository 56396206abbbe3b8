/** Says what would happen to a call that the user types, each part of a compound command by itself. Nothing runs. */
import { Check, CircleHelp, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type { AgentCallExplanation, ExplainedCall } from '../../../shared/rules/call-explanation.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { modeLabel, PERMISSION_MODES } from '../../ui/text/permission-modes.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { RULE_SOURCE_TEXT, typedCall } from './rule-text.ts'

type Verdict = ExplainedCall['decision']

interface CallTestProps {
  readonly folder: string
  readonly result: AgentCallExplanation | null
  readonly onResult: (result: AgentCallExplanation | null) => void
}

export function CallTest({ folder, result, onResult }: CallTestProps) {
  const definitions = useSession((state) => state.definitions)
  const userMode = useSession((state) => state.settings.permissionMode)
  const mayBypass = useSession((state) => state.folder?.bypassAllowed === true)
  const [typed, setTyped] = useState('')
  const [agent, setAgent] = useState('main')
  const [chosen, setMode] = useState<PermissionMode | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const mode = chosen ?? userMode
  const agents = [...new Set(['main', ...definitions.map(({ name }) => name)])]

  const test = async (wanted: { readonly agent: string; readonly mode: PermissionMode }) => {
    if (typed.trim() === '' || busy) return
    setBusy(true)
    const answer = await command('rules.test', { folder, call: typedCall(typed), ...wanted })
    setBusy(false)
    setError(answer.ok ? null : answer.failure.message)
    onResult(answer.ok ? answer.value : null)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void test({ agent, mode })
  }
  // A shown answer follows the choice.
  const isAnswered = result !== null || error !== null
  return (
    <section aria-label="Test a call" className="rounded-md border border-line bg-bg-1">
      <form onSubmit={submit} className="flex flex-wrap items-center gap-2 p-2">
        <SelectMenu
          label="As agent"
          value={agent}
          options={agents.map((name) => ({ value: name, label: `as ${name}` }))}
          onChange={(value) => {
            setAgent(value)
            if (isAnswered) void test({ agent: value, mode })
          }}
        />
        <SelectMenu
          label="In mode"
          value={mode}
          options={PERMISSION_MODES.filter(
            ({ value }) => value !== 'bypassPermissions' || mayBypass || value === mode,
          )}
          onChange={(value) => {
            setMode(value)
            if (isAnswered) void test({ agent, mode: value })
          }}
        />
        <input
          aria-label="Call to test"
          aria-invalid={error === null ? undefined : true}
          value={typed}
          placeholder="npm run build && rm -rf dist, or Read(~/.ssh/id_rsa)"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value)
            setError(null)
            onResult(null)
          }}
          className="h-7 min-w-48 flex-1 rounded-[6px] border border-line-strong bg-bg-0 px-2.5 font-mono text-fg-0 text-sm outline-none placeholder:text-fg-2 focus:border-accent aria-invalid:border-bad"
        />
        <Button size="md" type="submit" disabled={typed.trim() === '' || busy} focusableWhenDisabled>
          Would this be allowed?
        </Button>
      </form>
      <div role="status" className="empty:hidden">
        {error !== null && (
          <p className="border-line border-t px-3 py-2 text-bad text-sm wrap-anywhere">
            <VisibleText>{error}</VisibleText>
          </p>
        )}
        {result !== null && <Answer result={result} />}
      </div>
    </section>
  )
}

function Answer({ result }: { readonly result: AgentCallExplanation }) {
  const { parts, decision, remedy, agent, mode } = result
  const deciding = parts.flatMap((part, index) => (part.decision === decision ? [index + 1] : []))
  return (
    <>
      {parts.length > 0 && (
        <ol aria-label="Parts of the command" className="border-line border-t py-1.5">
          {parts.map((part, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
              key={index}
              className="grid grid-cols-[1.5rem_minmax(0,2fr)_5.5rem_minmax(0,3fr)] gap-x-2 px-3 py-1 text-sm"
            >
              <span className="font-mono text-fg-2 text-xs leading-[1.7]">{index + 1}</span>
              <code className="font-mono text-fg-0 text-xs leading-[1.7] wrap-anywhere">
                <VisibleText>{part.text}</VisibleText>
              </code>
              <VerdictText verdict={part.decision} />
              <span className="min-w-0 text-fg-1 wrap-anywhere">
                <Reason call={part} />
              </span>
            </li>
          ))}
        </ol>
      )}
      <div className="flex flex-wrap items-start gap-x-2 border-line border-t px-3 py-2 text-sm leading-5">
        <VerdictText verdict={decision} whole />
        <p className="min-w-0 flex-1 text-fg-1 wrap-anywhere" data-selectable="">
          {decision !== 'allow' && deciding.length > 0 ? partsText(deciding) : <Reason call={result} />}
          {remedy !== null && <VisibleText>{` ${remedy}`}</VisibleText>}
        </p>
        <span className="text-fg-2 text-xs">
          {agent} · {modeLabel(mode)}
        </span>
      </div>
    </>
  )
}

function partsText(numbers: readonly number[]): string {
  return numbers.length === 1
    ? `because of part ${numbers[0]}.`
    : `because of parts ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}.`
}

/** The reason, and the file of the rule if the reason names one. */
function Reason({ call: { because, rules } }: { readonly call: Pick<ExplainedCall, 'because' | 'rules'> }) {
  const [rule] = rules
  return (
    <>
      {/* The verdict is in front of it. */}
      <VisibleText>{because.replace(/^(Allowed|Denied) (?=by )/, '')}</VisibleText>
      {rule !== undefined && <span className="text-fg-2 text-xs"> ({RULE_SOURCE_TEXT[rule.source]})</span>}
    </>
  )
}

const VERDICTS = {
  allow: { icon: Check, small: 'allowed', large: 'Allowed', tone: 'text-ok' },
  ask: { icon: CircleHelp, small: 'asked', large: 'Asked', tone: 'text-fg-0' },
  deny: { icon: X, small: 'denied', large: 'Denied', tone: 'text-bad' },
} as const

function VerdictText({ verdict, whole = false }: { readonly verdict: Verdict; readonly whole?: boolean }) {
  const { icon: Icon, small, large, tone } = VERDICTS[verdict]
  return (
    <span className={classNames('flex h-5 items-center gap-1.5 font-medium', tone)}>
      <Icon size={13} strokeWidth={2} aria-hidden="true" />
      {whole ? large : small}
    </span>
  )
}
