/**
 * The site of the docs: the files of `docs/` as they are, with a search that needs no server. Its side bar is the table
 * of docs/using/README.md, and a link to a missing page fails the build.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

/** A copy: the framework of the pages is looked for above them. */
const docs = join(import.meta.dirname, '../pages')

export default defineConfig({
  title: 'Troupe',
  description: 'Coding agents that work in parallel, each in a live panel',
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  rewrites: { 'using/README.md': 'using/index.md' },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'First steps', link: '/using/first-steps' },
      { text: 'Recipes', link: '/using/recipes' },
      { text: 'Security', link: '/security' },
    ],
    sidebar: [
      ...sidebarOf(readFileSync(join(docs, 'using/README.md'), 'utf8')),
      {
        text: 'How it is made',
        collapsed: true,
        items: ['architecture', 'security', 'durability', 'benchmarks', 'scenarios'].map((name) => ({
          text: titleOf(`${name}.md`),
          link: `/${name}`,
        })),
      },
    ],
  },
  markdown: {
    // Text of the docs is text: no tags, and no expressions in braces.
    html: false,
    config(md) {
      for (const name of ['text', 'code_inline']) {
        const rule = md.renderer.rules[name]
        if (rule)
          md.renderer.rules[name] = (...given) =>
            withTitle(rule(...given)).replaceAll('{{', '<span v-pre>{{</span>')
      }
    },
  },
})

/** The groups of the table, each page by its title. */
function sidebarOf(readme: string) {
  return readme
    .split('\n## ')
    .slice(1)
    .map((part) => ({
      text: part.split('\n')[0] ?? '',
      items: [...part.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, file = '']) => ({
        text: titleOf(join('using', file)),
        link: `/${join('using', file).replace(/\.md$/, '')}`,
      })),
    }))
}

/** A link that reads as the name of a page's file reads as its title here. */
function withTitle(text: string): string {
  const [, file] = /^(?:\.\.\/)?([\w-]+\.md)$/.exec(text) ?? []
  const page = [`using/${file}`, `${file}`].find((one) => existsSync(join(docs, one)))
  return file === undefined || page === undefined ? text : titleOf(page)
}

/** The first heading of a page. */
function titleOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(docs, file), 'utf8')) ?? []
  return title ?? file
}
