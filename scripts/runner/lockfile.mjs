/**
 * The optional dependencies that packages name but the lockfile lacks.
 *
 * @param {{ packages: Record<string, { dev?: boolean, optionalDependencies?: Record<string, string> }> }} lockfile
 * @returns {readonly { name: string, version: string, dev: boolean }[]}
 */
export function findUnlocked({ packages }) {
  return Object.entries(packages).flatMap(([path, { dev = false, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages))
      .map(([name, version]) => ({ name, version, dev })),
  )
}
