/** Markdown that a model wrote, drawn without trusting it. See `lock-down.ts` for what is let through. */
import { memo, type ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import { useSurroundings } from '../surroundings.ts'
import { showCaret } from './caret.ts'
import { CaretMark } from './caret-mark.tsx'
import { CodeBlock } from './code-block.tsx'
import { lockDown } from './lock-down.ts'
import styles from './markdown.module.css'

const FINISHED = [lockDown]
const GROWING = [lockDown, showCaret]
const wholeText = (text: string) => [text]

export interface MarkdownProps {
  readonly text: string
  /** Whether more of it is coming: what is not closed yet is closed, and a caret stands at the end. */
  readonly growing?: boolean
  /** Whether it grew once: then its elements stay the same when it is finished. */
  readonly streamed?: boolean
}

/** Draws one text or one block of it. Drawn again only if the text changes. */
export const Markdown = memo(function Markdown({ text, growing = false, streamed = growing }: MarkdownProps) {
  return (
    <Streamdown
      mode={streamed ? 'streaming' : 'static'}
      parseIncompleteMarkdown={growing}
      // Of what changes when a text is finished, this is what the library looks at.
      isAnimating={growing}
      parseMarkdownIntoBlocksFn={wholeText}
      rehypePlugins={growing ? GROWING : FINISHED}
      components={components}
      linkSafety={NO_LINK_SAFETY}
      controls={false}
      className={styles.markdown ?? ''}
    >
      {text}
    </Streamdown>
  )
})

/** Links never become addresses in the page, so there is nothing for the library to guard. */
const NO_LINK_SAFETY = { enabled: false }

/** What the library gives to a component: the attributes that `lockDown` left, and the node itself. */
interface Given {
  readonly node?: unknown
  readonly children?: ReactNode
  readonly 'data-url'?: unknown
  readonly 'data-image'?: unknown
  readonly 'data-file'?: unknown
  readonly 'data-line'?: unknown
  readonly 'data-task'?: unknown
  readonly 'data-caret'?: unknown
}

const components: Components = {
  a: (props: Given) => <MarkdownLink {...props} />,
  pre: ({ node }: Given) => <Fence node={node} />,
  code: ({ children }: Given) => <code className={styles.code}>{children}</code>,
  span: (props: Given) => <Mark {...props} />,
  // Never reached: `lockDown` lets no image through. It says so again where the elements are made.
  img: () => null,
  table: ({ children }: Given) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.table} aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  ...Object.fromEntries(
    // The library's own elements carry classes that mean nothing here.
    (['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'hr', 'thead', 'tbody', 'tr', 'sup'] as const).map(
      (tag) => [tag, plain(tag)],
    ),
  ),
  ...Object.fromEntries((['th', 'td'] as const).map((tag) => [tag, plain(tag)])),
  ...Object.fromEntries((['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const).map((tag) => [tag, heading(tag)])),
}

function plain<Tag extends 'p' | 'ul' | 'ol' | 'li' | 'th' | 'td' | (string & {})>(tag: Tag) {
  return ({
    node: _,
    className: __,
    ...props
  }: {
    node?: unknown
    className?: string
    children?: ReactNode
  }) => {
    const Element = tag as 'div'
    return <Element {...props} />
  }
}

/** Headings of a message stand below those of the window: they look like headings and are of one low level. */
function heading(tag: string) {
  return ({ children }: { children?: ReactNode }) => (
    <p className={styles.heading} data-level={tag[1]}>
      {children}
    </p>
  )
}

function MarkdownLink(props: Given) {
  const { openFile, openLink } = useSurroundings()
  const { children } = props
  const url = props['data-url']
  const file = props['data-file']
  if (typeof url === 'string')
    return (
      // A real link could be dragged, opened in the middle of the page or followed by the browser itself.
      // biome-ignore lint/a11y/useSemanticElements: see above
      <button type="button" role="link" className={styles.link} title={url} onClick={() => openLink(url)}>
        {props['data-image'] === undefined ? children : <>Image: {children}</>}
      </button>
    )
  if (typeof file === 'string') {
    const line = props['data-line']
    return (
      <button
        type="button"
        className={styles.file}
        title={`Open ${file} in your editor`}
        onClick={() => openFile({ path: file, line: typeof line === 'string' ? Number(line) : null })}
      >
        {children}
      </button>
    )
  }
  return children
}

function Mark(props: Given) {
  const task = props['data-task']
  if (props['data-caret'] !== undefined) return <CaretMark />
  if (typeof task === 'string')
    return (
      <span
        role="img"
        className={styles.task}
        data-task={task}
        aria-label={task === 'done' ? 'Done' : 'Not done'}
      />
    )
  return <span>{props.children}</span>
}

interface FenceNode {
  readonly children?: readonly {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly children?: readonly { readonly value?: string }[]
  }[]
}

function Fence({ node }: { readonly node: unknown }) {
  const code = (node as FenceNode | undefined)?.children?.[0]
  const text = (code?.children ?? []).map((child) => child.value ?? '').join('')
  const classes = code?.properties?.['className']
  const language = Array.isArray(classes)
    ? classes.map(String).find((name) => name.startsWith('language-'))
    : undefined
  return <CodeBlock code={text.replace(/\n$/, '')} language={language?.slice('language-'.length) ?? ''} />
}
