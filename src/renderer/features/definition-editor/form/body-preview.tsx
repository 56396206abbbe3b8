/** A definition's body as it looks: words and their shape, nothing that loads or leads anywhere. */
import type { ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import styles from './body-preview.module.css'
import { keepWords } from './keep-words.ts'

export function BodyPreview({ text }: { readonly text: string }) {
  return (
    <section
      aria-label="Preview of the body"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      data-selectable
      className="max-h-[40rem] min-h-40 overflow-y-auto rounded-md border border-line-strong bg-bg-0 px-3 py-2 text-md"
    >
      {text === '' ? (
        <p className="text-fg-2">There is no body yet.</p>
      ) : (
        <Streamdown
          mode="static"
          parseIncompleteMarkdown={false}
          parseMarkdownIntoBlocksFn={whole}
          rehypePlugins={PLUGINS}
          components={components}
          linkSafety={{ enabled: false }}
          controls={false}
          className={styles.preview ?? ''}
        >
          {text}
        </Streamdown>
      )}
    </section>
  )
}

const PLUGINS = [keepWords]
const whole = (text: string) => [text]

interface Given {
  readonly children?: ReactNode
}

// The library's own elements bring controls and looks that mean nothing here.
const components: Components = {
  ...Object.fromEntries(
    [
      ...['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 'del', 'hr', 'br', 'pre', 'code'],
      ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ].map((tag) => [tag, plain(tag)]),
  ),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, heading(tag)])),
  ...Object.fromEntries([['a', plain('span')]]),
  img: () => null,
}

function plain(tag: string) {
  const Element = tag as 'div'
  return ({ children }: Given) => (children === undefined ? <Element /> : <Element>{children}</Element>)
}

/** Headings of a body stand below those of the window: they look like headings and are paragraphs. */
function heading(tag: string) {
  return ({ children }: Given) => (
    <p className={styles.heading} data-level={tag[1]}>
      {children}
    </p>
  )
}
