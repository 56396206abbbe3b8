/** The command of the status line: set, test, or clear it. */
import { type FocusEvent, type KeyboardEvent, useState } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { StatusLineTrial } from '../../../shared/status-line/contract.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings } from '../../stores/settings-store.ts'
import { stripTerminal } from '../../ui/ansi.ts'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Characters that the settings file accepts. */
const MAX_LENGTH = 4096

type Trial =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'ran'; readonly how: StatusLineTrial }

export function StatusLineRow() {
  const kept = useSession((state) => state.settings.statusLine?.command ?? '')
  const [typed, setTyped] = useState<string | null>(null)
  const [trial, setTrial] = useState<Trial>({ kind: 'none' })
  const [error, setError] = useState<string | null>(null)
  const shown = typed ?? kept

  const take = async () => {
    if (typed === null) return
    const wanted = typed.trim()
    if (wanted !== kept) {
      const answer = await changeSettings({ statusLine: wanted === '' ? null : { command: wanted } })
      setError(answer.ok ? null : answer.failure.message)
      if (!answer.ok) return
    }
    // Text that was typed meanwhile stays.
    setTyped((now) => (now === typed ? null : now))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void take()
    else if (event.key === 'Escape' && typed !== null) {
      setTyped(null)
      event.stopPropagation()
    }
  }
  /** Moving between the field and the button does not apply the text. */
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) void take()
  }
  const tryIt = async () => {
    setTrial({ kind: 'running' })
    const answer = await command('statusLine.test', { command: shown.trim() })
    setTrial(
      answer.ok ? { kind: 'ran', how: answer.value } : { kind: 'refused', message: answer.failure.message },
    )
  }
  return (
    <Row
      title="Status line"
      name="statusLine"
      hint="The status bar shows the first line that this command prints. The command runs in the open folder if the folder is trusted, without API keys and for at most one second, with JSON on its standard input. Leave empty to turn off."
      error={error}
      below={
        <div className="flex flex-col gap-2">
          <fieldset aria-label="Status line" className="flex min-w-0 items-start gap-2" onBlur={onBlur}>
            <div className="min-w-0 flex-1">
              <TextField
                label="Status line command"
                labelHidden
                mono
                maxLength={MAX_LENGTH}
                value={shown}
                placeholder="git status -sb | head -1"
                onChange={(event) => {
                  setTyped(event.target.value)
                  setTrial({ kind: 'none' })
                }}
                onKeyDown={onKeyDown}
              />
            </div>
            <Button
              size="md"
              focusableWhenDisabled
              disabled={shown.trim() === '' || trial.kind === 'running'}
              onClick={() => void tryIt()}
            >
              {trial.kind === 'running' && <Spinner />} Test
            </Button>
          </fieldset>
          <div aria-live="polite" className="text-sm empty:hidden">
            {trial.kind === 'refused' && <span className="text-bad">{trial.message}</span>}
            {trial.kind === 'ran' && <Ran how={trial.how} />}
          </div>
        </div>
      }
    />
  )
}

function Ran({ how: { output, problem, exitCode, ms } }: { readonly how: StatusLineTrial }) {
  const printed = makeVisible(stripTerminal(output)).trimEnd()
  return (
    <div className="flex flex-col gap-1">
      <span className="font-mono text-fg-2 text-xs">
        {exitCode === null ? 'no exit code' : `exit code ${exitCode}`} · {ms} ms
      </span>
      {problem !== null && <span className="text-bad">{makeVisible(problem)}</span>}
      {printed !== '' && (
        <pre className="max-h-32 overflow-auto whitespace-pre-wrap break-words rounded-sm border border-line bg-bg-0 px-2 py-1 font-mono text-fg-0 text-xs">
          {printed}
        </pre>
      )}
    </div>
  )
}
