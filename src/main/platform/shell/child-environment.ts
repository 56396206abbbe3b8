/**
 * The environment of child processes. An allow list, so that an API key in an unexpected variable is not passed on.
 */

/** The user, the home folder and the locale. */
const PERSON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|TMPDIR|TMP|TEMP|XDG_(?:CONFIG|DATA|CACHE|STATE|RUNTIME)_(?:HOME|DIR))$/

/** Locations of toolchains. */
const TOOLCHAINS =
  /^(?:JAVA_HOME|JDK_HOME|GRADLE_USER_HOME|MAVEN_HOME|M2_HOME|ANDROID_HOME|ANDROID_SDK_ROOT|GOPATH|GOROOT|GOBIN|CARGO_HOME|RUSTUP_HOME|NVM_DIR|NVM_BIN|FNM_DIR|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_DIR|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|PYENV_ROOT|PYENV_VERSION|POETRY_HOME|GEM_HOME|GEM_PATH|RBENV_ROOT|DOTNET_ROOT|HOMEBREW_(?:PREFIX|CELLAR|REPOSITORY)|NIX_PATH|NIX_PROFILES|NIX_SSL_CERT_FILE|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|PKG_CONFIG_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/

/** No process starts on Windows without these. */
const WINDOWS =
  /^(?:SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|PROGRAMFILES\(X86\)|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE)$/i

/** Proxies. A proxy with a password is not passed on. */
const PROXY = /^(?:https?|all|no|ftp)_proxy$/i

/** The variables of an environment that child processes get. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue
    if (mayPass(name) || (PROXY.test(name) && !value.includes('@'))) passed[name] = value
  }
  return passed
}

function mayPass(name: string): boolean {
  return PERSON.test(name) || TOOLCHAINS.test(name) || WINDOWS.test(name) || /^path$/i.test(name)
}
