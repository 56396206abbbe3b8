import { Minus, Plus } from 'lucide-react'
import { editorNames, type Settings } from '../../../shared/settings/settings.ts'
import { LARGEST_ZOOM, SMALLEST_ZOOM } from '../../../shared/settings/zoom.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { zoomStep } from '../../stores/zoom.ts'
import { IconButton } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { StatusLineRow } from './status-line-row.tsx'

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const

const LAYOUTS = [
  { value: 'focus', label: 'Focus' },
  { value: 'columns', label: 'Columns' },
  { value: 'grid', label: 'Grid' },
] as const

const EDITORS: readonly {
  readonly value: Settings['editor']
  readonly label: string
  readonly hint?: string
}[] = [
  { value: 'auto', label: 'Automatic', hint: '$VISUAL or $EDITOR, otherwise the system’s default program' },
  ...editorNames.map((name) => ({ value: name, label: name })),
]

/** The theme, the zoom, the panel layout and the editor. */
export function AppearanceSettings() {
  const { theme, zoom, stageLayout, editor } = useSession((state) => state.settings)
  const [error, change] = useChange()
  return (
    <Section title="Window" isOnly>
      <Row title="Theme" name="theme" error={error}>
        <Segmented
          label="Theme"
          size="md"
          value={theme}
          options={THEMES}
          onChange={(value) => void change({ theme: value })}
        />
      </Row>
      <Row title="Zoom" name="zoom" hint="The size of everything in the windows, from 80% to 200%.">
        <IconButton
          label="Zoom out"
          icon={Minus}
          size={26}
          disabled={zoom <= SMALLEST_ZOOM}
          focusableWhenDisabled
          onClick={() => void zoomStep('out')}
        />
        <output aria-live="polite" className="w-12 text-center font-mono text-fg-0 text-sm">
          {zoom}%
        </output>
        <IconButton
          label="Zoom in"
          icon={Plus}
          size={26}
          disabled={zoom >= LARGEST_ZOOM}
          focusableWhenDisabled
          onClick={() => void zoomStep('in')}
        />
      </Row>
      <Row
        title="Panel layout"
        name="stageLayout"
        hint="For new conversations. Each conversation remembers its own layout."
      >
        <Segmented
          label="Panel layout"
          size="md"
          value={stageLayout}
          options={LAYOUTS}
          onChange={(value) => void change({ stageLayout: value })}
        />
      </Row>
      <Row title="Editor" name="editor" hint="Opens files; a click on path:line goes to the line.">
        <SelectMenu
          label="Editor"
          value={editor}
          options={EDITORS}
          onChange={(value) => void change({ editor: value })}
        />
      </Row>
      <ClosingRow />
      <StatusLineRow />
    </Section>
  )
}

const CHOICES = [
  { value: 'ask', label: 'Ask', hint: 'Asks what to do with the agents' },
  {
    value: 'keep-running',
    label: 'Keep running',
    hint: 'Agents run without a window; the tray icon opens it again',
  },
  { value: 'stop', label: 'Stop agents', hint: 'You can continue them after the next start' },
] as const

/** The effect of closing the window while agents are running. */
function ClosingRow() {
  const whenClosed = useSession((state) => state.settings.whenClosed)
  const [error, change] = useChange()
  return (
    <Row
      title="Close with running agents"
      name="whenClosed"
      hint="Without running agents, closing the window quits Troupe."
      error={error}
    >
      <SelectMenu
        label="Close with running agents"
        value={whenClosed}
        options={CHOICES}
        onChange={(value) => void change({ whenClosed: value })}
      />
    </Row>
  )
}
