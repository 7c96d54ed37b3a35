# as-nobody.sh command ...: runs the command as a user who owns nothing; as the present user, if that is not root.
if [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
fi
exec "$@"
