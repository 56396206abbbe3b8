/** External agents: the main agent of new conversations, and the keys that programs get. */
import { type ClipboardEvent, type FormEvent, useEffect, useState } from 'react'
import type { StoredKeys } from '../../../shared/external-agents/known-program.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** `export NAME="value"`, as it stands in a shell's file or an `.env` file. */
const ASSIGNMENT = /^\s*(?:export\s+|set\s+)?([A-Za-z_]\w*)\s*=\s*(["']?)(.+?)\2\s*$/

/** The value of the menu for Troupe's own main agent; no agent can have this name. */
const OWN = ' '

export function ProgramSettings() {
  const mainAgent = useSession((state) => state.settings.mainAgent)
  const definitions = useSession((state) => state.definitions)
  const [error, change] = useChange()
  const names = definitions.flatMap(({ name, isProgram }) => (isProgram ? [name] : []))
  const all = mainAgent === null || names.includes(mainAgent) ? names : [...names, mainAgent]
  return (
    <Section title="External agents" isOnly>
      <Row
        title="Main agent of new conversations"
        name="mainAgent"
        hint="An external agent uses its own login, so it needs no model access. Not in coordinator mode and in a rehearsal."
        error={error}
      >
        <SelectMenu
          label="Main agent"
          value={mainAgent ?? OWN}
          options={[
            { value: OWN, label: 'Troupe', hint: 'its own main agent' },
            ...all.map((name) => ({
              value: name,
              label: name,
              hint: names.includes(name) ? '' : 'not an agent in this folder',
            })),
          ]}
          onChange={(value) => void change({ mainAgent: value === OWN ? null : value })}
        />
      </Row>
      <Row
        title="Programs on this computer"
        hint="Claude Code, Codex, Gemini CLI and opencode: which are here, and how to install them."
      >
        <Button onClick={() => showOverlay('programs')}>Set up…</Button>
      </Row>
      <Keys />
    </Section>
  )
}

function Keys() {
  const [keys, setKeys] = useState<StoredKeys | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const take = (answer: Answer<StoredKeys>): boolean => {
    if (answer.ok) setKeys(answer.value)
    setFailure(answer.ok ? null : answer.failure.message)
    return answer.ok
  }
  useEffect(() => {
    let isShown = true
    void command('programs.keys', {}).then((answer) => {
      if (!isShown) return
      if (answer.ok) setKeys(answer.value)
      else setFailure(answer.failure.message)
    })
    return () => {
      isShown = false
    }
  }, [])
  const save = async (name: string, value: string | null) =>
    take(await command('programs.saveKey', { name, value }))
  return (
    <>
      {(keys?.names ?? []).map((name) => (
        <Row
          key={name}
          title={name}
          hint="Given to programs whose definitions name it. Your environment comes first."
        >
          <Button variant="quiet" aria-label={`Remove ${name}`} onClick={() => void save(name, null)}>
            Remove
          </Button>
        </Row>
      ))}
      <AddKey isSafe={keys?.isSafe !== false} failure={failure} save={save} />
    </>
  )
}

interface AddKeyProps {
  readonly isSafe: boolean
  readonly failure: string | null
  /** @returns whether it was saved */
  readonly save: (name: string, value: string) => Promise<boolean>
}

function AddKey({ isSafe, failure, save }: AddKeyProps) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [isBusy, setBusy] = useState(false)
  const isWrong = name.trim() !== '' && !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name.trim())
  const isReady = name.trim() !== '' && value.trim() !== '' && !isWrong
  const paste = (event: ClipboardEvent) => {
    const [, variable, , key] = ASSIGNMENT.exec(event.clipboardData.getData('text')) ?? []
    if (variable === undefined || key === undefined) return
    event.preventDefault()
    setName(variable)
    setValue(key)
  }
  const add = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady || isBusy) return
    setBusy(true)
    const isSaved = await save(name.trim(), value)
    setBusy(false)
    if (!isSaved) return
    setName('')
    setValue('')
  }
  return (
    <Row
      title="Key for programs"
      hint="Programs get a key as a variable; it is in your system’s key store."
      words="variable add environment"
      below={
        <form onSubmit={(event) => void add(event)} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label="Variable"
              mono
              value={name}
              placeholder="GEMINI_API_KEY"
              hint={
                isSafe
                  ? 'A key that programs read from a variable.'
                  : 'A key that programs read from a variable. Your system only obfuscates stored keys.'
              }
              error={isWrong ? 'Letters, digits and _: the name, not the key.' : failure}
              onPaste={paste}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label="Key"
              mono
              type="password"
              autoComplete="off"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          </div>
          {/* Level with the fields, which are below their labels. */}
          <Button type="submit" size="md" className="mt-5.5" disabled={!isReady || isBusy}>
            {isBusy ? 'Saving…' : 'Save'}
          </Button>
        </form>
      }
    />
  )
}
