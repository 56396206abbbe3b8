/** The plugins, with what each brings, before and after they are enabled. */
import { type FormEvent, useState } from 'react'
import {
  type InstalledPlugin,
  type PluginContent,
  versionText,
} from '../../../shared/plugins/installed-plugin.ts'
import { pluginActions, useSettingsFiles } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { TextField } from '../../ui/text-field.tsx'

export function PluginSettings() {
  const plugins = useSettingsFiles((state) => state.plugins)
  const [source, setSource] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const add = async (event: FormEvent) => {
    event.preventDefault()
    if (source.trim() === '' || isAdding) return
    setAdding(true)
    const failure = await pluginActions.add(source.trim())
    setAdding(false)
    setError(failure)
    if (failure === null) setSource('')
  }
  return (
    <Section title="Plugins" isOnly>
      {(plugins ?? []).map((plugin) => (
        <PluginRow key={plugin.path} plugin={plugin} />
      ))}
      <Row
        title="Another plugin"
        name="plugins"
        words="add install marketplace git folder"
        below={
          <form onSubmit={(event) => void add(event)} className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label="Add a plugin"
                mono
                value={source}
                placeholder="https://example.org/tidy.git"
                hint="A folder, OWNER/REPO of GitHub, or the address of a git repository. For one plugin of a marketplace: OWNER/REPO#NAME."
                error={error}
                onChange={(event) => {
                  setSource(event.target.value)
                  setError(null)
                }}
              />
            </div>
            {/* Level with the field, which is below its label. */}
            <Button type="submit" size="md" className="mt-5.5" disabled={source.trim() === '' || isAdding}>
              {isAdding ? 'Adding…' : 'Add'}
            </Button>
          </form>
        }
      />
    </Section>
  )
}

const STATES: Readonly<Record<InstalledPlugin['state'], string>> = {
  enabled: 'Enabled',
  disabled: 'Off',
  changed: 'Off: its content changed since you enabled it',
  unapproved: 'Only agents and skills: enabled by hand',
  'turned-off': 'Turned off by enabledPlugins in your settings',
}

/** One plugin: what it brings and runs, and the buttons for it. */
export function PluginRow({ plugin }: { readonly plugin: InstalledPlugin }) {
  const { name, description, path, source, state, digest, parts, problems, notUsed } = plugin
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const act = async (change: Promise<string | null>) => {
    setBusy(true)
    setError(await change)
    setBusy(false)
  }
  const isOn = state === 'enabled'
  return (
    <Row
      title={name}
      words={`plugin ${description}`}
      error={error}
      hint={
        <>
          {description !== '' && (
            <p>
              <VisibleText>{description}</VisibleText>
            </p>
          )}
          <p>{STATES[state]}</p>
          <p className="break-all font-mono text-xs">
            <VisibleText>
              {source === null ? path : `${source.url} at ${versionText(source.commit)}`}
            </VisibleText>
          </p>
          <ul aria-label={`Parts of ${name}`} className="pt-1">
            {parts.map((part) => (
              <li key={`${part.kind} ${part.name} ${part.runs}`} className="break-all text-xs">
                {KINDS[part.kind]} <VisibleText>{part.name}</VisibleText>
                {part.runs !== null && (
                  <span className="font-mono text-warn">
                    {' '}
                    <VisibleText>{part.runs}</VisibleText>
                  </span>
                )}
              </li>
            ))}
          </ul>
          {digest !== null && <p className="break-all font-mono text-xs">sha256 {digest}</p>}
          {notUsed.map((sentence) => (
            <p key={sentence} className="text-xs">
              <VisibleText>{sentence}</VisibleText>
            </p>
          ))}
          {problems.map((problem) => (
            <p key={problem} className="text-bad">
              <VisibleText>{problem}</VisibleText>
            </p>
          ))}
        </>
      }
    >
      {isOn ? (
        <Button
          aria-label={`Disable ${name}`}
          disabled={isBusy}
          onClick={() => void act(pluginActions.disable(name))}
        >
          Disable
        </Button>
      ) : (
        <Button
          aria-label={`Enable ${name}`}
          disabled={isBusy || digest === null || state === 'turned-off'}
          onClick={() => void act(pluginActions.enable(name, digest ?? ''))}
        >
          Enable
        </Button>
      )}
      {source !== null && (
        <Button
          aria-label={`Update ${name}`}
          disabled={isBusy}
          onClick={() => void act(pluginActions.update(name))}
        >
          Update
        </Button>
      )}
      <Button
        variant="quiet"
        aria-label={`Remove ${name}`}
        disabled={isBusy}
        onClick={() => void act(pluginActions.remove(name))}
      >
        Remove
      </Button>
    </Row>
  )
}

const KINDS: Readonly<Record<PluginContent['kind'], string>> = {
  agent: 'Agent',
  skill: 'Skill',
  command: 'Command',
  hook: 'Hook',
  'mcp-server': 'MCP server',
}
