/** The keys of the queue of requests: the most important ones below the list, all of them on request. */
import { KEY_MAP } from '../../../shared/key-map.ts'
import { Kbd } from '../../ui/kbd.tsx'

export function QueueKeys({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  const lines = KEY_MAP.find(({ place }) => place === 'Permission requests')?.lines ?? []
  return (
    <div className="shrink-0 border-line border-t px-3 py-2 text-fg-2 text-xs">
      {isOpen && (
        <ul aria-label="Keys" className="mb-1.5 flex max-h-[45vh] flex-col gap-1 overflow-y-auto">
          {lines.map(({ keys, title }) => (
            <li key={title} className="flex items-baseline justify-between gap-3">
              <span>{title}</span>
              <span className="flex shrink-0 gap-1">
                {keys.map((key) => (
                  <Kbd key={key} keys={key} />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          <Kbd keys="J" /> <Kbd keys="K" /> next, previous
        </span>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="rounded-xs hover:text-fg-0"
        >
          <Kbd keys="?" /> {isOpen ? 'fewer keys' : 'all keys'}
        </button>
      </p>
    </div>
  )
}
