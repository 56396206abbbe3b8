/** Keys of another program: each action with its keys now and then, conflicts, and what can't be used. Any line can be left out. */
import { useState } from 'react'
import type { KeyActionId } from '../../../shared/commands/key-map.ts'
import { type KeyPreset, presetChanges } from '../../../shared/commands/key-presets.ts'
import { takePreset, useKeyBindings } from '../../stores/keys-store.ts'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'

interface PresetDialogProps {
  readonly preset: KeyPreset
  readonly onClose: () => void
}

export function PresetDialog({ preset, onClose }: PresetDialogProps) {
  const bindings = useKeyBindings((state) => state.bindings)
  const [leftOut, setLeftOut] = useState<ReadonlySet<KeyActionId>>(new Set())
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const all = presetChanges(preset, { bindings })
  const wanted = all.filter(({ action }) => !leftOut.has(action.id))
  const keys = Object.fromEntries(wanted.map(({ action, to }) => [action.id, to]))
  // Conflicts are those of the lines that are not left out.
  const conflicts = new Map(
    presetChanges({ keys }, { bindings }).map((change) => [change.action.id, change.conflicts]),
  )
  const toggle = (id: KeyActionId) => {
    const next = new Set(leftOut)
    if (!next.delete(id)) next.add(id)
    setLeftOut(next)
  }
  const take = async () => {
    setBusy(true)
    const problem = await takePreset(preset.name, keys)
    setBusy(false)
    if (problem === null) onClose()
    else setFailure(problem)
  }
  return (
    <FormDialog
      onClose={onClose}
      width={620}
      title={`Keys of ${preset.name}`}
      description="Changes are kept in keybindings.json and can be taken back."
      label={wanted.length === 0 ? 'Use keys' : `Use ${count(wanted.length, 'key')}`}
      isReady={wanted.length > 0}
      busy={isBusy}
      onSubmit={() => void take()}
    >
      {all.length === 0 ? (
        <p className="text-fg-1 text-sm">
          {Object.keys(preset.keys).length === 0
            ? 'None of these keys is for something that Troupe does.'
            : 'All of these keys are in use already.'}
        </p>
      ) : (
        <ul aria-label="New keys" className="rounded-md border border-line text-sm">
          {all.map(({ action: { id, title }, from, to }) => {
            const also = leftOut.has(id) ? [] : (conflicts.get(id) ?? [])
            return (
              <li key={id} className="border-line border-t px-3 py-1 first:border-t-0">
                <label className="grid grid-cols-[16px_minmax(0,1fr)_auto_16px_auto] items-center gap-2">
                  <input
                    type="checkbox"
                    checked={!leftOut.has(id)}
                    onChange={() => toggle(id)}
                    className="accent-(--accent)"
                  />
                  <span className="truncate text-fg-0">{title}</span>
                  {from === undefined ? <span className="text-fg-2">none</span> : <Kbd keys={from} />}
                  <span aria-hidden="true" className="text-center text-fg-2">
                    →
                  </span>
                  <span className="sr-only">becomes</span>
                  <Kbd keys={to} />
                </label>
                {also.length > 0 && <p className="pl-6 text-bad text-xs">Also: {also.join(', ')}</p>}
              </li>
            )
          })}
        </ul>
      )}
      {preset.unused.length > 0 && (
        <section aria-label="Not used" className="grid gap-1 text-sm">
          <h3 className="font-medium text-fg-0">{count(preset.unused.length, 'line')} not used</h3>
          <ul className="grid max-h-40 gap-0.5 overflow-y-auto text-fg-1 text-xs" data-selectable="">
            {preset.unused.map((line) => (
              <li key={line} className="wrap-anywhere">
                <VisibleText>{line}</VisibleText>
              </li>
            ))}
          </ul>
        </section>
      )}
      <FormFailure message={failure} />
    </FormDialog>
  )
}
