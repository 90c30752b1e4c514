/* squeeze.c: outputs of SHAKE128 in pieces, by a function that OpenSSL has since version 3.3. */
#include <openssl/evp.h>

int EVP_DigestSqueeze(EVP_MD_CTX *context, unsigned char *to, size_t length);

int main(void) {
    unsigned char out[168];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = 1;
    for (int i = 0; i < 5; i++) {
        done &= EVP_DigestInit_ex(context, EVP_shake128(), NULL);
        done &= EVP_DigestUpdate(context, "seed", 4);
        for (int j = 0; j < 4; j++)
            done &= EVP_DigestSqueeze(context, out, sizeof(out));
    }
    EVP_MD_CTX_free(context);
    return !done;
}
